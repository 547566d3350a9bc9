#pragma once

// One test tree for Catch2 2 and 3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
namespace Catch {
using Matchers::WithinRel;
}
#else
#include <catch2/catch.hpp>
#endif
