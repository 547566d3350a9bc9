#include "sim/cli/main_program.h"

int main(int argc, char* argv[]) {
  return parsim::main_program(argc, argv);
}
