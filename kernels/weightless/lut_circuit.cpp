#include "kernels/weightless/lut_circuit.h"

#include <algorithm>
#include <array>

namespace ridge::weightless {
namespace {

constexpr int kInputs = 6, kFalse = -1, kTrue = -2;
constexpr std::array<uint64_t, kInputs> kLiteral = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                                    0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                                    0xffff0000ffff0000, 0xffffffff00000000};

/// A value known already, possibly complemented.
struct Edge {
  int node = kFalse;  ///< kFalse (with complement: true), an input, or 6 + operation
  bool complement = false;
  bool operator==(const Edge&) const = default;
};

/// Builds one circuit: functions are 64-bit tables over the six inputs, so equal ones are found by value.
class Builder {
 public:
  Edge known(uint64_t table, bool* found) const {
    *found = true;
    if (table == 0) return {};
    if (table == ~uint64_t{0}) return {kFalse, true};
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == table) return {static_cast<int>(i), false};
      if (values_[i] == ~table) return {static_cast<int>(i), true};
    }
    *found = false;
    return {};
  }

  /// A function of the three inputs alone.
  Edge leaf(uint64_t table, int a, int b, int c) {
    bool found = false;
    const Edge edge = known(table, &found);
    if (found) return edge;
    uint8_t function = 0;
    for (int i = 0; i < 8; ++i) {
      const int address = (i >> 2 & 1) << a | (i >> 1 & 1) << b | (i & 1) << c;
      function = static_cast<uint8_t>(function | (table >> address & 1) << i);
    }
    return add({a, b, c, function}, table);
  }

  /// s ? high : low, complements taken into the operation.
  Edge choose(int s, Edge high, Edge low) {
    if (high == low) return high;
    const uint64_t select = kLiteral[static_cast<size_t>(s)];
    const uint64_t table = (select & value(high)) | (~select & value(low));
    bool found = false;
    const Edge edge = known(table, &found);
    if (found) return edge;
    uint8_t function = 0;
    for (int i = 0; i < 8; ++i) {
      const bool h = high.node == kFalse ? high.complement : (i >> 1 & 1) != high.complement;
      const bool l = low.node == kFalse ? low.complement : (i & 1) != low.complement;
      function = static_cast<uint8_t>(function | (i >> 2 & 1 ? h : l) << i);
    }
    // A constant's place is filled with the selector, which the function then ignores there.
    const int h = high.node == kFalse ? s : high.node, l = low.node == kFalse ? s : low.node;
    return add({s, h, l, function}, table);
  }

  /// Of a complemented end: the last operation is turned over, since nothing else reads it, or one added.
  LutCircuit finish(Edge end) {
    if (end.node == kFalse) return {{}, end.complement ? kTrue : kFalse};
    if (!end.complement) return {ops_, end.node};
    if (!ops_.empty() && end.node == kInputs + static_cast<int>(ops_.size()) - 1) {
      ops_.back().function = static_cast<uint8_t>(~ops_.back().function);
      return {ops_, end.node};
    }
    constexpr uint8_t kNotA = 0x0f;
    add({end.node, end.node, end.node, kNotA}, ~value({end.node, false}));
    return {ops_, kInputs + static_cast<int>(ops_.size()) - 1};
  }

 private:
  uint64_t value(Edge edge) const {
    const uint64_t table = edge.node == kFalse ? 0 : values_[static_cast<size_t>(edge.node)];
    return edge.complement ? ~table : table;
  }
  Edge add(const TernaryOp& op, uint64_t table) {
    ops_.push_back(op);
    values_.push_back(table);
    return {static_cast<int>(values_.size()) - 1, false};
  }

  std::vector<TernaryOp> ops_;
  std::vector<uint64_t> values_{kLiteral.begin(), kLiteral.end()};
};

/// The table with input `s` fixed; it no longer depends on it.
uint64_t cofactor(uint64_t table, int s, bool one) {
  const uint64_t literal = kLiteral[static_cast<size_t>(s)];
  const int shift = 1 << s;
  return one ? (table & literal) | (table & literal) >> shift
             : (table & ~literal) | (table & ~literal) << shift;
}

/// Expands the inputs order[0], order[1], order[2]; the other three are the leaves'.
Edge expand(Builder* builder, uint64_t table, const std::array<int, kInputs>& order, int depth) {
  bool found = false;
  const Edge edge = builder->known(table, &found);
  if (found) return edge;
  if (depth == 3) return builder->leaf(table, order[3], order[4], order[5]);
  const int s = order[static_cast<size_t>(depth)];
  const Edge low = expand(builder, cofactor(table, s, false), order, depth + 1);
  const Edge high = expand(builder, cofactor(table, s, true), order, depth + 1);
  return builder->choose(s, high, low);
}

}  // namespace

LutCircuit make_circuit(uint64_t table) {
  LutCircuit best;
  bool first = true;
  std::array<int, kInputs> order = {0, 1, 2, 3, 4, 5};
  do {
    if (order[3] > order[4] || order[4] > order[5])
      continue;  // the order of a leaf's inputs is free
    Builder builder;
    LutCircuit circuit = builder.finish(expand(&builder, table, order, 0));
    if (first || circuit.ops.size() < best.ops.size()) best = std::move(circuit);
    first = false;
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

uint64_t circuit_table(const LutCircuit& circuit) {
  std::vector<uint64_t> values(kLiteral.begin(), kLiteral.end());
  for (const TernaryOp& op : circuit.ops) {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
      if ((op.function >> i & 1) == 0) continue;
      const auto part = [&](int from, int bit) {
        const uint64_t v = values[static_cast<size_t>(from)];
        return (i >> bit & 1) != 0 ? v : ~v;
      };
      value |= part(op.a, 2) & part(op.b, 1) & part(op.c, 0);
    }
    values.push_back(value);
  }
  if (circuit.output < 0) return circuit.output == kTrue ? ~uint64_t{0} : 0;
  return values[static_cast<size_t>(circuit.output)];
}

}  // namespace ridge::weightless
