#pragma once

#include <string>

namespace parsim {

/// Makes SIGINT, SIGTERM and SIGHUP remove what is under way (RemoveOnInterrupt) and end with exit
/// code 130.
void exit_cleanly_on_interrupt();

/// A file that an interrupt removes while this object lives. At most a few at a time.
class RemoveOnInterrupt {
 public:
  explicit RemoveOnInterrupt(const std::string& path);
  ~RemoveOnInterrupt();
  RemoveOnInterrupt(const RemoveOnInterrupt&) = delete;
  RemoveOnInterrupt& operator=(const RemoveOnInterrupt&) = delete;

 private:
  int slot_ = -1;  ///< -1: not registered
};

}  // namespace parsim
