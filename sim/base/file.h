#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parsim {

inline constexpr std::size_t kLargestInputFile = 16U * 1024U * 1024U;

/// The whole file. Throws InputError (one diagnostic that names the file) when it does not exist,
/// is a directory, cannot be read, or is larger than `largest` bytes; a larger file is not read.
[[nodiscard]] std::string read_file(const std::string& path,
                                    std::size_t largest = kLargestInputFile);

/// Writes the file whole or not at all: into a new file in the same folder, which then takes the
/// name. What stood there before stays until then, and stays when writing fails. Devices and pipes
/// (`/dev/stdout`) are written directly. Throws RunError that names the file and the reason.
void write_file_atomically(const std::string& path, std::string_view content);

}  // namespace parsim
