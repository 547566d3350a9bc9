#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace parsim::test {

/// Runs `work` in a child process and returns its numbers. SimGrid allows one simulation a process.
template <class Work>
std::vector<double> in_child(Work work) {
  int channel[2];
  if (pipe(channel) != 0) {
    throw std::runtime_error("no pipe");
  }
  const pid_t child = fork();
  if (child == 0) {
    close(channel[0]);
    int status = 1;
    try {
      const std::vector<double> numbers = work();
      const auto bytes = numbers.size() * sizeof(double);
      status = write(channel[1], numbers.data(), bytes) == static_cast<ssize_t>(bytes) ? 0 : 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      status = 2;
    }
    _exit(status);
  }
  close(channel[1]);
  std::vector<double> numbers;
  double number = 0.0;
  while (read(channel[0], &number, sizeof number) == static_cast<ssize_t>(sizeof number)) {
    numbers.push_back(number);
  }
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("the child process failed");
  }
  return numbers;
}

}  // namespace parsim::test
