#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/units.h"
#include "sim/schedule/order_check.h"
#include "sim/schedule/schedule.h"

/// The scenario: what the user asked for, as plain values. Every field has its row in a field table
/// (`sim/scenario/fields_*.h`), which drives reader, schema, printed resolved scenario and
/// reference page.
namespace parsim {

/// Provenance: JSON pointer inside the file ("/memory", "/peak/bf16") → where the number comes
/// from.
using Sources = std::map<std::string, std::string>;

// ---------------------------------------------------------------------------------------- model

enum class Activation { gelu, relu, squared_relu, swiglu };
enum class Normalisation { layernorm, rmsnorm };
enum class Positions { learned, rope, alibi, none };

/// A decoder- or encoder-only transformer. Sizes are of the whole model, before any partition.
struct TransformerModel {
  std::string name;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;    ///< 0: as many as heads (multi-head attention)
  std::int64_t ffn_hidden = 0;  ///< 0: 4 × hidden
  std::int64_t vocabulary = 0;  ///< as trained, padding included
  std::int64_t max_positions =
      0;  ///< rows of a learned position table; 0 unless positions = learned
  Activation activation = Activation::gelu;
  Normalisation normalisation = Normalisation::layernorm;
  Positions positions = Positions::learned;
  bool bias = true;             ///< linear layers have bias vectors
  bool tied_embeddings = true;  ///< logits use the transposed token embedding
  bool causal = true;           ///< attention core does half the work where the kernel can skip it
  bool dropout = true;          ///< training applies dropout (mask written and read)
  Sources sources;
};

/// One layer of a model described by its costs. Per sample where a number scales with the batch.
struct LayerSpec {
  std::string name;
  std::int64_t repeat = 1;               ///< this many equal layers in a row
  Flops forward_flops{0.0};              ///< per sample
  std::optional<Flops> backward_flops;   ///< per sample; default 2 × forward
  Bytes forward_bytes{0.0};              ///< device-memory traffic per sample
  std::optional<Bytes> backward_bytes;   ///< default 2 × forward
  std::int64_t parameters = 0;           ///< of one such layer
  Bytes output{0.0};                     ///< activation handed to the next layer, per sample
  std::optional<Bytes> saved;            ///< kept for the backward, per sample; default = output
  std::optional<Seconds> forward_time;   ///< per sample; replaces the cost model
  std::optional<Seconds> backward_time;  ///< per sample; replaces the cost model
  double weight_gradient_share = 0.5;    ///< of the backward, where a schedule splits it
};

struct LayerListModel {
  std::string name;
  std::vector<LayerSpec> layers;
  Sources sources;
};

/// JSON: `"kind": "transformer" | "layers"`, inline or by name from models/networks/.
using Model = std::variant<TransformerModel, LayerListModel>;

// -------------------------------------------------------------------------------------- cluster

enum class Precision { fp32, tf32, fp16, bf16, fp8 };

/// Fraction of the datasheet rate that a class of operators reaches, from 0.001 to 1.
struct Efficiency {
  double gemm = 0.0;          ///< of peak FLOP/s
  double batched_gemm = 0.0;  ///< of peak FLOP/s, attention's batched matrix products when unfused
  double attention = 0.0;     ///< of peak FLOP/s, fused attention
  double memory = 0.0;        ///< of memory bandwidth, for every memory-bound operator
};

struct Device {
  std::string name;
  std::string kind;                          ///< "gpu", "tpu" or "cpu"
  std::map<Precision, FlopsPerSecond> peak;  ///< dense matrix peak by precision; JSON object
  Bytes memory{0.0};
  BytesPerSecond memory_bandwidth{0.0};
  Seconds launch_overhead{0.0};  ///< floor of one kernel
  Efficiency efficiency;
  Sources sources;
};

enum class NodeInterconnect {
  nvswitch,  ///< every device has a port of device_bandwidth (each direction) into a full crossbar
  nvlink_pairs,  ///< devices 2k and 2k+1 joined by device_bandwidth; others over PCIe
  pcie           ///< every device has a PCIe port into the host
};

/// A machine. Bandwidths are per direction; a transfer alone reaches bandwidth × efficiency.
struct Node {
  std::string name;
  std::int64_t devices = 0;
  NodeInterconnect interconnect = NodeInterconnect::nvswitch;
  std::optional<BytesPerSecond> device_bandwidth;  ///< nvswitch, nvlink_pairs: per device port
  std::optional<Seconds> device_latency;
  std::optional<BytesPerSecond> pcie_bandwidth;  ///< nvlink_pairs, pcie: per device port
  std::optional<Seconds> pcie_latency;
  std::int64_t nics = 0;  ///< device i uses NIC i·nics/devices
  BytesPerSecond nic_bandwidth{0.0};
  Seconds nic_latency{0.0};             ///< one way, NIC to NIC, without the fabric's hops
  double device_link_efficiency = 1.0;  ///< reachable share of device_bandwidth / pcie_bandwidth
  double nic_efficiency = 1.0;          ///< reachable share of nic_bandwidth
  Sources sources;
};

enum class FabricKind { non_blocking, oversubscribed };

struct Fabric {
  std::string name;
  FabricKind kind = FabricKind::non_blocking;
  std::optional<std::int64_t> nodes_per_leaf;  ///< oversubscribed only
  std::optional<double> oversubscription;  ///< leaf downlinks : uplinks, >= 1; oversubscribed only
  Seconds latency{0.0};                    ///< added to nic_latency between two nodes
  Sources sources;
};

struct Cluster {
  Device device;
  Node node;
  std::optional<Fabric> fabric;  ///< needed when nodes > 1
  std::int64_t nodes = 1;
};

// ------------------------------------------------------------------------------------- parallel

enum class Axis { data, tensor, pipeline };

struct Parallel {
  std::int64_t data = 1;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  bool sequence_parallel =
      false;  ///< Megatron sequence parallel: all-gather + reduce-scatter for all-reduce
  std::vector<Axis> order = {Axis::tensor, Axis::data,
                             Axis::pipeline};  ///< fastest-varying axis first
  bool scatter_gather_p2p =
      false;  ///< stage boundaries send 1/tensor per rank, then all-gather in the node
  bool overlap_tensor_gradient =
      false;  ///< input-gradient all-reduce runs beside the weight-gradient GEMM
};

// ------------------------------------------------------------------------------------- schedule

/// Multiplies the modelled time of one stage's computation.
struct StageFactors {
  double forward = 1.0;
  double input_gradient = 1.0;
  double weight_gradient = 1.0;
};

struct ScheduleSpec {
  ScheduleName name = ScheduleName::one_f_one_b;
  std::int64_t chunks = 1;  ///< stages per pipeline rank (of one copy of the model)
  std::optional<std::int64_t>
      group;  ///< interleaved: micro-batches per round; default pipeline size
  std::vector<std::int64_t>
      layers_per_stage;       ///< empty: even; else one count per stage, in stage order
  bool forward_only = false;  ///< no backward, no gradient reduction, no optimizer
  std::int64_t slices = 1;    ///< seq1f1b: parts of each sample's sequence
  std::vector<std::vector<std::string>>
      orders;        ///< explicit only: per pipeline rank, actions such as "0F1"
  std::string file;  ///< explicit only: CSV of the orders; load_scenario turns it into `orders`
  std::optional<std::int64_t>
      in_flight_limit;  ///< auto: chunks in flight per rank; default: what the memory holds
  TransferMode transfers = TransferMode::eager;
  double pair_time = 1.0;        ///< an overlapped pair's computation over the sum of its parts
  Seconds action_overhead{0.0};  ///< added to each action on the compute lane
  std::vector<StageFactors> stage_factors;  ///< empty: 1; one entry: all stages; else one a stage
};

// ----------------------------------------------------------------------------- batch and training

struct Batch {
  std::int64_t global = 0;               ///< samples (sequences) per step
  std::int64_t micro = 1;                ///< samples per micro-batch and replica
  std::optional<std::int64_t> sequence;  ///< tokens per sample; needed for transformers
};

enum class Recompute { none, selective, full };
enum class AttentionKernel { fused, unfused };
enum class OptimizerKind { adam, sgd, none };
enum class GradientReduction { mean, sum };
/// The global gradient norm (or overflow check) that the optimizer step depends upon.
enum class GradientNorm {
  none,           ///< no rank waits for another one
  blocking,       ///< all pipeline ranks combine theirs before the step
  post_validated  ///< the step is taken at once and undone if the norm says so (zero bubble)
};

struct Training {
  Precision precision = Precision::bf16;           ///< of matrix products, weights and activations
  Precision gradient_precision = Precision::fp32;  ///< of the accumulated and reduced gradients
  Recompute recompute = Recompute::none;
  AttentionKernel attention = AttentionKernel::fused;
  OptimizerKind optimizer = OptimizerKind::adam;
  GradientReduction gradient_reduction = GradientReduction::mean;
  GradientNorm gradient_norm = GradientNorm::none;
  bool overlap_gradient_reduction = true;  ///< buckets are reduced as the last backward fills them
  Bytes bucket{25.0 * 1024 * 1024};        ///< gradient bytes per bucket when overlapped
};

struct Costs {
  bool free_communication = false;         ///< transfers and collectives take no time
  std::optional<Seconds> launch_overhead;  ///< replaces the device's
  std::optional<double> gemm_efficiency;   ///< these replace the device's, from 0.001 to 1
  std::optional<double> batched_gemm_efficiency;
  std::optional<double> attention_efficiency;
  std::optional<double> memory_efficiency;
};

struct Scenario {
  std::string name;  ///< default: the file's stem
  std::string description;
  Model model;
  Cluster cluster;
  Parallel parallel;
  ScheduleSpec schedule;
  Batch batch;
  Training training;
  Costs costs;
};

}  // namespace parsim
