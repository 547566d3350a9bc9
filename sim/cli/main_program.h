#pragma once

namespace parsim {

/// The whole program: parses, runs, and turns every failure into a message on standard error and an
/// exit code (0 done, 1 the run could not complete, 2 bad input or usage, 3 a requested check
/// failed, 70 our bug).
int main_program(int argc, const char* const* argv);

}  // namespace parsim
