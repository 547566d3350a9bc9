#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/layout.h"

namespace parsim {

/// The rings that a collective over `ranks` runs side by side, as NCCL builds them: every ring
/// visits all members, node after node (in order of first appearance), and each leaves and enters
/// the nodes through NICs of its own, so there are as many rings as every node has NICs behind its
/// members. One node, or one NIC: one ring.
[[nodiscard]] std::vector<std::vector<std::int64_t>> build_rings(
    const LinkLayout& layout, const std::vector<std::int64_t>& ranks);

}  // namespace parsim
