// The calls that a pass of a network is made of, matrix products, convolutions, attention: what a lab's rungs would
// have to do in it, so that the learner sees what a faster rung buys the whole. Data only; app/query/workload.h fills it in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/record/types.h"

namespace ridge {

/// A kind of call: how much work one with these parameters is, and how its shape is written.
struct WorkloadCall {
  double (*flop)(const Params& params);
  /// The least that it moves, with elements of so many bytes.
  double (*bytes)(const Params& params, double element_bytes);
  std::string (*shape)(const Params& params);
  /// A parameter that the work grows with and the time may not: another value says nothing about it.
  const char* fixed = nullptr;
};

/// A part's multiply-adds as a table printed them.
struct PrintedMacs {
  double macs = 0;
  const char* of = "";  ///< what they were printed for: "one head", "one block", "the pass"
  int64_t times = 1;    ///< how many of that make one pass
};

/// A step without a product, which no rung of a lab of products does: softmax, say.
struct WorkloadStep {
  const char* title;
  const char* note;       ///< what it does instead of multiplying
  double parameters = 0;  ///< of all of a pass
};

/// One shape of call, `calls` times in one pass of the network.
struct WorkloadPart {
  std::string title;
  std::string note;    ///< a sentence: what it is, and what is to be minded
  std::string kernel;  ///< id of the rung that does it; empty: the selected one
  Params params;       ///< of one call; of the selected rung's, what is not named is the learner's
  int64_t calls = 1;
  const WorkloadCall* call = nullptr;
  double parameters = 0;  ///< weights and biases of all its calls; 0: none, or not counted
  std::optional<PrintedMacs> printed = {};
  std::vector<WorkloadStep> then = {};  ///< the steps between it and the next part
};

/// C (m x n) = A (m x k) * B (k x n), by the selected rung.
WorkloadPart product(std::string title, std::string note, int64_t m, int64_t n, int64_t k,
                     int64_t calls);

struct Workload {
  std::string id;
  std::string title;  ///< a phrase: the network's name, then after a comma in what use
  std::string note;   ///< what the table as published has, and where this differs
  std::vector<WorkloadPart> parts;
  double tokens = 0;  ///< that one pass reads or makes; 0: it is not counted in tokens
  std::optional<double> printed_parameters = {};  ///< of the whole network, as the table has them
};

/// A transformer as the learner describes it. Defaults: the shape of Llama 3 8B (Grattafiori et al.,
/// arXiv:2407.21783, table 3).
struct ModelShape {
  int64_t layers = 32, heads = 32, heads_kv = 8, d = 128, inner = 14336, vocabulary = 128256;
  int64_t prompt = 2048;  ///< tokens of each sequence
  int64_t batch = 1;      ///< sequences at once
  bool gpu = false;       ///< whose rungs do it
  std::string dtype = "fp32";
  bool operator==(const ModelShape&) const = default;
};

/// Which rungs make a pass; empty: the best that there is on any machine.
struct ModelRungs {
  std::string products, attention;  ///< of a decode step
  std::string prefill_attention;
};
/// Reading the prompts, and making one token more for each sequence. The decode step is decode_workload() with `rungs`
/// wherever takes_few_rows(), so that a description has one figure for a type of weights.
std::vector<Workload> model_workloads(const ModelShape& shape, const ModelRungs& rungs = {});

/// A type of weights that a model may decode with, and the rungs that read it, the best first.
struct DecodeType {
  const char* dtype;                  ///< a choice of the gemv family: "int4"
  const char* title;                  ///< "int4, a scale for 128"
  std::vector<const char*> cpu, gpu;  ///< kernel ids; empty: no rung of ours
};
/// From the most bits to the fewest.
const std::vector<DecodeType>& decode_types();
/// Null: not one of them.
const DecodeType* find_decode_type(std::string_view dtype);

/// Whether the rungs of decode_types() take this model's products in its dtype: there is one for its processor, its
/// widths are multiples of 128, and on a GPU its batch is 16 at most. Else a product of any shape does them.
bool takes_few_rows(const ModelShape& shape);

/// The rungs that attend with one query for each sequence, the best first.
const std::vector<const char*>& decode_attention(bool gpu);
/// Those that attend with all queries of a sequence, the best first.
const std::vector<const char*>& prefill_attention(bool gpu);

/// One token more for each sequence, its products by `kernel` on weights of this type. Keys and values stay
/// as they are, fp32 on a CPU and bf16 on a GPU, whatever the weights are.
Workload decode_workload(const ModelShape& shape, const std::string& dtype,
                         const std::string& kernel, const std::string& attention_kernel);

/// A description as a request carries it, and back; what it does not say has its default.
Params to_params(const ModelShape& shape);
ModelShape model_shape(const Params& params);

}  // namespace ridge
