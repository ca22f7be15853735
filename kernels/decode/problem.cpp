// The decode family's problem: parameters, data, and how it is judged.
#include <algorithm>
#include <cmath>

#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/decode/decode.h"
#include "kernels/runtime/problems/attention_reference.h"

namespace ridge {
namespace {

/// Every fifth sequence's queries are so many times as large: their scores pass 100 (kernels/attention/problem.cpp).
constexpr double kLoudQuery = 32;
constexpr int64_t kLoudEvery = 5;

class DecodeProblem : public Problem {
 public:
  explicit DecodeProblem(const Shape& shape) : shape_(shape) {}

  Shape shape() const override { return shape_; }

  std::vector<BufferSpec> buffers() const override {
    const size_t size = dtype_size(shape_.dtype);
    const size_t q = size_t(dim(kDecodeBatch) * dim(kDecodeHeads) * d()) * size;
    const size_t kv = size_t(rows() * d()) * size;
    const size_t table = size_t(dim(kDecodeBatch) * decode_table_width(shape_)) * 4;
    return {{"Q", q, false, shape_.dtype},
            {"K", kv, false, shape_.dtype},
            {"V", kv, false, shape_.dtype},
            {"O", q, true, shape_.dtype},
            {"lengths", size_t(dim(kDecodeBatch)) * 4, false, DType::int32},
            {"table", dim(kDecodePage) > 0 ? table : 4, false, DType::int32}};
  }

  /// Two products of 2 d FLOP for each key of a sequence and each head of queries.
  double flop() const override { return 4 * double(dim(kDecodeHeads) * d()) * double(keys()); }

  std::map<std::string, double> work() const override {
    return {{"exp", double(dim(kDecodeHeads)) * double(keys())}};
  }

  /// Each key and value that a sequence has, once, for all heads that share it.
  double bytes_min() const override {
    const double size = double(dtype_size(shape_.dtype));
    return 2 * size * double(dim(kDecodeHeadsKv) * d()) * double(keys()) +
           2 * size * double(dim(kDecodeBatch) * dim(kDecodeHeads) * d());
  }

  /// Tokens: a call makes one for each sequence.
  double items() const override { return double(dim(kDecodeBatch)); }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) {
      if (!specs[i].is_output) (*host)[i].resize(specs[i].bytes);
      if (i <= kDecodeV) quality::fill_normal((*host)[i], shape_.dtype, seed + i);
    }
    std::byte* q = (*host)[kDecodeQ].data();
    const int64_t row = dim(kDecodeHeads) * d();
    for (int64_t i = 0; i < dim(kDecodeBatch); i += kLoudEvery) {
      for (int64_t e = i * row; e < (i + 1) * row; ++e) {
        quality::store(q, e, shape_.dtype, kLoudQuery * quality::load(q, e, shape_.dtype));
      }
    }
    auto* lengths = reinterpret_cast<int32_t*>((*host)[kDecodeLengths].data());
    for (int64_t i = 0; i < dim(kDecodeBatch); ++i) lengths[i] = int32_t(length_of(i));
    fill_table(seed, host);
    spoil_ends(host);
  }

  /// Every row, at any size: outputs are few, and a head of keys is read once for its group.
  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    const std::vector<BufferSpec> specs = buffers();
    for (size_t i = 0; i < specs.size(); ++i) {
      if (host.size() == specs.size() && host[i].size() == specs[i].bytes) continue;
      QualityCheck check;
      check.what = "sizes";
      check.reason = "buffer " + specs[i].name + " has not the size of the problem";
      return check;
    }
    std::vector<attention::Reference> references(size_t(dim(kDecodeBatch) * dim(kDecodeHeads)));
    parallel_for(dim(kDecodeBatch) * dim(kDecodeHeadsKv), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) refer(host, i, &references);
    });
    attention::RowErrors errors(shape_.dtype);
    std::vector<double> out(size_t(d()), 0.0);
    for (size_t i = 0; i < references.size(); ++i) {
      quality::load_range(host[kDecodeO].data(), int64_t(i) * d(), shape_.dtype, out);
      errors.add(references[i], out, length_of(int64_t(i) / dim(kDecodeHeads)));
    }
    return errors.finish("every row");
  }

 private:
  int64_t dim(DecodeDim which) const { return shape_.dim[which]; }
  int64_t d() const { return shape_.dim[kDecodeHeadSize]; }

  /// The first is the longest; the others are anything from 1 on, the same for every seed: the bytes that a
  /// call must read depend on them.
  int64_t length_of(int64_t sequence) const {
    if (dim(kDecodeMixed) == 0 || sequence == 0) return dim(kDecodeLength);
    return 1 + random_below(random_key(0xdec0de), uint64_t(sequence), uint32_t(dim(kDecodeLength)));
  }
  int64_t keys() const {
    int64_t sum = 0;
    for (int64_t i = 0; i < dim(kDecodeBatch); ++i) sum += length_of(i);
    return sum;
  }
  int64_t pages_of(int64_t sequence) const {
    return (length_of(sequence) + dim(kDecodePage) - 1) / dim(kDecodePage);
  }
  /// Of K and V, for all heads of keys; with pages, as many as are in use.
  int64_t rows() const {
    if (dim(kDecodePage) == 0) return dim(kDecodeBatch) * dim(kDecodeHeadsKv) * dim(kDecodeLength);
    int64_t pages = 0;
    for (int64_t i = 0; i < dim(kDecodeBatch); ++i) pages += pages_of(i);
    return pages * dim(kDecodeHeadsKv) * dim(kDecodePage);
  }

  void fill_table(uint64_t seed, HostBuffers* host) const {
    auto* table = reinterpret_cast<int32_t*>((*host)[kDecodeTable].data());
    std::fill_n(table, (*host)[kDecodeTable].size() / 4, -1);
    if (dim(kDecodePage) == 0) return;
    const int64_t pages = rows() / (dim(kDecodeHeadsKv) * dim(kDecodePage));
    const std::vector<int32_t> order = shuffled(pages, seed);
    auto next = order.begin();
    for (int64_t i = 0; i < dim(kDecodeBatch); ++i) {
      std::copy_n(next, pages_of(i), table + i * decode_table_width(shape_));
      next += pages_of(i);
    }
  }

  /// Not a number behind the end of each sequence, as far as the next 16 rows: nobody may use them.
  void spoil_ends(HostBuffers* host) const {
    const Decode a = view(*host);
    for (int64_t i = 0; i < a.batch; ++i) {
      const int64_t end = length_of(i);
      const int64_t room = a.page == 0 ? a.length - end : (a.page - end % a.page) % a.page;
      for (int64_t head = 0; room > 0 && head < a.heads_kv; ++head) {
        const int64_t row = decode_row(a, i, head, end - 1) + 1;
        for (int64_t e = row * a.d; e < (row + std::min<int64_t>(room, 16)) * a.d; ++e) {
          for (const int buffer : {kDecodeK, kDecodeV}) {
            quality::store((*host)[size_t(buffer)].data(), e, shape_.dtype, NAN);
          }
        }
      }
    }
  }

  Decode view(const HostBuffers& host) const {
    void* buffers[6];
    for (size_t i = 0; i < 6; ++i) buffers[i] = const_cast<std::byte*>(host[i].data());
    return decode_of({.shape = shape_, .buffers = buffers});
  }

  /// The group of rows of a sequence and a head of keys, `index` over both.
  void refer(const HostBuffers& host, int64_t index,
             std::vector<attention::Reference>* rows) const {
    const Decode a = view(host);
    const int64_t sequence = index / a.heads_kv, head = index % a.heads_kv,
                  count = length_of(sequence);
    const int64_t piece = a.page > 0 ? a.page : count;
    std::vector<double> k(size_t(count * a.d)), v(k.size()), q(size_t(a.d), 0.0);
    for (int64_t key = 0; key < count; key += piece) {
      const auto at = size_t(key * a.d), size = size_t(std::min(piece, count - key) * a.d);
      const int64_t from = decode_row(a, sequence, head, key) * a.d;
      quality::load_range(host[kDecodeK].data(), from, shape_.dtype,
                          std::span(k).subspan(at, size));
      quality::load_range(host[kDecodeV].data(), from, shape_.dtype,
                          std::span(v).subspan(at, size));
    }
    const double k_norm = attention::average_norm(k, size_t(a.d));
    for (int64_t i = 0; i < a.group; ++i) {
      const int64_t row = sequence * a.heads + head * a.group + i;
      quality::load_range(host[kDecodeQ].data(), row * a.d, shape_.dtype, q);
      (*rows)[size_t(row)] = attention::reference_row(q, k, v, k_norm, shape_.dtype);
    }
  }

  Shape shape_;
};

std::vector<ParamSpec> params() {
  constexpr int64_t kMax = int64_t{1} << 12;
  return {extent_param("length", "decode: keys in the cache of the longest sequence", int64_t{1} << 20, 4096),
          int_param("batch", "sequences in a call", 1, kMax, 1),
          int_param("heads", "heads of queries", 1, kMax, 1),
          extent_param("heads_kv", "heads of keys and values; divides heads", kMax, 1, "heads"),
          int_param("d", "head size, a multiple of 8; the tensor core rungs take 64 and 128", 8, 256, 128),
          int_param("page", "decode: keys of a page of the cache, a multiple of 16; 0: in one piece", 0, 256, 0),
          choice_param("lengths", "decode: all sequences as long as the longest, or any length up to it",
                       {"equal", "mixed"}),
          choice_param("dtype", "type of Q, K, V and O", {"fp32", "bf16", "fp16"}),
          threads_param()};
}

Error refused(const Params& params, const std::string& what, const char* hint) {
  return {ErrorCode::usage, what, "decode " + to_string(params), hint};
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  Shape shape;
  const int64_t heads = param_int(params, "heads", 1);
  shape.dim[kDecodeBatch] = param_int(params, "batch", 1);
  shape.dim[kDecodeHeads] = heads;
  shape.dim[kDecodeHeadsKv] = param_int(params, "heads_kv", heads);
  shape.dim[kDecodeLength] = param_int(params, "length", 4096);
  shape.dim[kDecodeHeadSize] = param_int(params, "d", 128);
  shape.dim[kDecodePage] = param_int(params, "page", 0);
  shape.dim[kDecodeMixed] = param_text(params, "lengths", "equal") == "mixed";
  shape.threads = static_cast<int>(param_int(params, "threads", 1));
  parse_dtype(param_text(params, "dtype", "fp32"), &shape.dtype);
  const auto text = [&](const char* name, DecodeDim dim) {
    return name + std::to_string(shape.dim[dim]);
  };
  if (shape.dim[kDecodeHeadSize] % 8 != 0) {
    return refused(params, text("d=", kDecodeHeadSize) + " is not a multiple of 8",
                   "take 64 or 128");
  }
  if (shape.dim[kDecodePage] % RIDGE_DECODE_PIECE != 0) {
    return refused(params, text("page=", kDecodePage) + " is not a multiple of 16",
                   "take 0, 16, 32 or 64");
  }
  if (heads % shape.dim[kDecodeHeadsKv] != 0) {
    return refused(
        params,
        text("heads_kv=", kDecodeHeadsKv) + " does not divide heads=" + std::to_string(heads),
        "each head of keys serves as many heads of queries");
  }
  return std::unique_ptr<Problem>(std::make_unique<DecodeProblem>(shape));
}

/// One, primes, pieces of 16 and parts of 256 and 512 more or less one, shared keys, more sequences than a warp
/// has lanes. Pages, mixed lengths, head size and type are the run's.
std::vector<Params> awkward() {
  std::vector<Params> shapes;
  const auto add = [&](int64_t batch, int64_t heads, int64_t heads_kv, int64_t length) {
    shapes.push_back(
        {{"batch", batch}, {"heads", heads}, {"heads_kv", heads_kv}, {"length", length}});
  };
  add(1, 1, 1, 1), add(3, 2, 1, 2), add(2, 3, 3, 15), add(1, 8, 2, 17), add(37, 4, 4, 31);
  add(2, 16, 1, 127), add(1, 40, 2, 257), add(5, 6, 2, 513), add(1, 1, 1, 1031), add(1, 2, 1, 4099);
  return shapes;
}

/// The length first; when it is down to 1, the batch.
Params shrink(const Params& params, double share) {
  Params smaller = params;
  const double left = double(param_int(params, "length", 4096)) *
                      (std::isnan(share) ? 1 : std::clamp(share, 0.0, 1.0));
  smaller["length"] = static_cast<int64_t>(std::max(1.0, std::floor(left + 1e-9)));
  if (left < 1) smaller["batch"] = int64_t{1};
  return smaller;
}

StepInputs step(const Shape& all, const std::vector<int64_t>& lengths) {
  StepInputs inputs{.shape = all, .buffer = kDecodeLengths};
  inputs.shape.dim[kDecodeBatch] = std::ssize(lengths);
  inputs.bytes.resize(lengths.size() * sizeof(int32_t));
  auto* to = reinterpret_cast<int32_t*>(inputs.bytes.data());
  for (const int64_t length : lengths) *to++ = static_cast<int32_t>(length);
  return inputs;
}

Params step_room(const Params& params, int64_t batch, int64_t length) {
  Params room = params;
  room["batch"] = batch, room["length"] = length, room["lengths"] = std::string("equal");
  return room;
}

RIDGE_FAMILY(decode, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink, .works = "exp", .step = step, .step_room = step_room);

}  // namespace
}  // namespace ridge
