#pragma once

#include "sim/scenario/field.h"
#include "sim/scenario/fields_cluster.h"
#include "sim/scenario/fields_model.h"

/// Field tables of the job: layout, schedule, batch, training, costs, and the scenario itself.
namespace parsim {

inline TableTitle title_of(const Parallel&) {
  return {"parallel", "How the job is split: data x tensor x pipeline = devices."};
}
template <class Visitor>
void describe(Visitor& visit, Parallel& parallel) {
  visit.field({.key = "data", .doc = "replicas", .most = kMostRanks}, parallel.data);
  visit.field({.key = "tensor", .doc = "ranks that share each layer", .most = kMostRanks},
              parallel.tensor);
  visit.field({.key = "pipeline", .doc = "ranks that share the layers", .most = kMostRanks},
              parallel.pipeline);
  visit.field({.key = "sequence_parallel",
               .doc = "Megatron sequence parallelism: all-gather and reduce-scatter instead of "
                      "all-reduce"},
              parallel.sequence_parallel);
  visit.field({.key = "order", .doc = "axes on the machine, the fastest-varying one first"},
              parallel.order);
  visit.field({.key = "scatter_gather_p2p",
               .doc = "stage boundaries send 1/tensor per rank, then all-gather in the node"},
              parallel.scatter_gather_p2p);
  visit.field({.key = "overlap_tensor_gradient",
               .doc = "the input gradient's all-reduce runs beside the weight-gradient product"},
              parallel.overlap_tensor_gradient);
}

inline TableTitle title_of(const ScheduleSpec&) {
  return {"schedule", "In which order a pipeline rank works on its micro-batches."};
}
template <class Visitor>
void describe(Visitor& visit, ScheduleSpec& schedule) {
  visit.field({.key = "name",
               .doc = "naive: one micro-batch, no pipelining; gpipe: all forward, then all "
                      "backward; 1f1b; interleaved-1f1b: several stages per rank; explicit: "
                      "`orders` says it"},
              schedule.name);
  visit.field(
      {.key = "chunks",
       .doc =
           "stages per pipeline rank; 2 or more with interleaved-1f1b, 1 unless that or explicit",
       .most = kMostLayers},
      schedule.chunks);
  visit.field({.key = "group",
               .doc = "interleaved-1f1b: micro-batches per round, from pipeline to the number of "
                      "micro-batches",
               .most = kLargestBatch,
               .default_text = "the pipeline size"},
              schedule.group);
  visit.field({.key = "layers_per_stage",
               .doc = "layers of each stage, in stage order",
               .most = kMostLayers,
               .default_text = "even"},
              schedule.layers_per_stage);
  visit.field(
      {.key = "forward_only", .doc = "no backward pass, no gradient reduction, no optimizer step"},
      schedule.forward_only);
  visit.field({.key = "orders",
               .doc = "explicit: per pipeline rank, its actions such as \"0F1\" (stage 0, forward, "
                      "micro-batch 1)",
               .default_text = "none",
               .item_pattern = "^[0-9]+[FB][0-9]+$"},
              schedule.orders);
}

inline TableTitle title_of(const Batch&) {
  return {"batch", "How much one step works on."};
}
template <class Visitor>
void describe(Visitor& visit, Batch& batch) {
  visit.field({.key = "global",
               .doc = "samples (sequences) per step, over all replicas",
               .required = true,
               .most = kLargestBatch},
              batch.global);
  visit.field({.key = "micro", .doc = "samples per micro-batch and replica", .most = kLargestBatch},
              batch.micro);
  visit.field({.key = "sequence",
               .doc = "tokens per sample; needed for transformers",
               .most = kLargestWidth,
               .default_text = "none"},
              batch.sequence);
}

inline TableTitle title_of(const Training&) {
  return {"training", "Precisions, recomputation, optimizer and gradient reduction."};
}
template <class Visitor>
void describe(Visitor& visit, Training& training) {
  visit.field({.key = "precision", .doc = "of matrix products, weights and activations"},
              training.precision);
  visit.field({.key = "gradient_precision", .doc = "of the accumulated and reduced gradients"},
              training.gradient_precision);
  visit.field({.key = "recompute",
               .doc = "activations computed again in the backward pass: none, those of attention, "
                      "or all"},
              training.recompute);
  visit.field({.key = "attention", .doc = "one fused kernel, or products, softmax and dropout"},
              training.attention);
  visit.field({.key = "optimizer", .doc = "optimizer step"}, training.optimizer);
  visit.field({.key = "gradient_reduction", .doc = "how replicas combine their gradients"},
              training.gradient_reduction);
  visit.field({.key = "overlap_gradient_reduction",
               .doc = "buckets are reduced as the last backward pass fills them"},
              training.overlap_gradient_reduction);
  visit.field(
      {.key = "bucket", .doc = "gradient bytes per bucket when overlapped", .positive = true},
      training.bucket);
}

inline TableTitle title_of(const Costs&) {
  return {"costs", "Changes to the cost model; what is left out is the device's own."};
}
template <class Visitor>
void describe(Visitor& visit, Costs& costs) {
  visit.field({.key = "free_communication", .doc = "transfers and collectives take no time"},
              costs.free_communication);
  visit.field({.key = "launch_overhead",
               .doc = "replaces the device's launch_overhead",
               .default_text = "the device's"},
              costs.launch_overhead);
  visit.field({.key = "gemm_efficiency",
               .doc = "replaces the device's efficiency.gemm",
               .default_text = "the device's"},
              costs.gemm_efficiency);
  visit.field({.key = "batched_gemm_efficiency",
               .doc = "replaces the device's efficiency.batched_gemm",
               .default_text = "the device's"},
              costs.batched_gemm_efficiency);
  visit.field({.key = "attention_efficiency",
               .doc = "replaces the device's efficiency.attention",
               .default_text = "the device's"},
              costs.attention_efficiency);
  visit.field({.key = "memory_efficiency",
               .doc = "replaces the device's efficiency.memory",
               .default_text = "the device's"},
              costs.memory_efficiency);
}

inline TableTitle title_of(const Scenario&) {
  return {"scenario", "One training step of one job on one machine."};
}
template <class Visitor>
void describe(Visitor& visit, Scenario& scenario) {
  visit.field({.key = "name", .doc = "name in reports", .default_text = "the name of its file"},
              scenario.name);
  visit.field({.key = "description", .doc = "for people", .default_text = "empty"},
              scenario.description);
  visit.field({.key = "model",
               .doc = "what is trained, or its name",
               .required = true,
               .folder = "networks"},
              scenario.model);
  visit.field(
      {.key = "cluster", .doc = "the machine: device, node, fabric, nodes", .required = true},
      scenario.cluster);
  visit.field({.key = "parallel", .doc = "the layout"}, scenario.parallel);
  visit.field({.key = "schedule", .doc = "the pipeline schedule"}, scenario.schedule);
  visit.field({.key = "batch",
               .doc = "how much one step works on: global, micro, sequence",
               .required = true},
              scenario.batch);
  visit.field({.key = "training", .doc = "how it is trained"}, scenario.training);
  visit.field({.key = "costs", .doc = "changes to the cost model"}, scenario.costs);
}

}  // namespace parsim
