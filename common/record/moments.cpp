#include "common/record/moments.h"

#include <bit>
#include <cmath>

namespace ridge {
namespace {

// A number takes seven bits a byte, the lowest first; a difference is doubled, and odd below zero.

uint64_t folded(int64_t difference) {
  const auto bits = static_cast<uint64_t>(difference);
  return difference < 0 ? ~(bits << 1) : bits << 1;
}

int64_t unfolded(uint64_t number) {
  return static_cast<int64_t>(number & 1 ? ~(number >> 1) : number >> 1);
}

uint64_t difference(int64_t now, int64_t before) {
  return folded(static_cast<int64_t>(static_cast<uint64_t>(now) - static_cast<uint64_t>(before)));
}

int64_t sum(int64_t before, uint64_t number) {
  return static_cast<int64_t>(static_cast<uint64_t>(before) +
                              static_cast<uint64_t>(unfolded(number)));
}

double seconds(int64_t t_ns) {
  return static_cast<double>(t_ns) / 1e9;
}

/// A clock tells whole nanoseconds; of another number its bits are kept.
bool is_whole(double t_s) {
  constexpr double kMost_s = 9e6;  // a double holds so many whole nanoseconds
  return std::fabs(t_s) < kMost_s && !(t_s == 0 && std::signbit(t_s)) &&
         seconds(std::llround(t_s * 1e9)) == t_s;
}

enum : uint64_t { kWhole, kBits };

}  // namespace

void Moments::write_number(uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes_.push_back(static_cast<uint8_t>(number | 0x80));
  bytes_.push_back(static_cast<uint8_t>(number));
}

uint64_t Moments::Iterator::read_number() {
  uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint8_t byte = of_->bytes_[at_++];
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

void Moments::push_back(const Moment& moment) {
  const bool whole = is_whole(moment.t_s);
  // The word and how the time stands share a number: most words are among the first thirty.
  write_number(2 * uint64_t{moment.word} + (whole ? kWhole : kBits));
  if (whole) {
    const int64_t t_ns = std::llround(moment.t_s * 1e9);
    write_number(difference(t_ns, before_.t_ns));
    before_.t_ns = t_ns;
  } else {
    write_number(std::bit_cast<uint64_t>(moment.t_s));
  }
  write_number(difference(moment.request, before_.request));
  write_number(folded(moment.series));
  write_number(folded(moment.count));
  before_.request = moment.request;
  ++size_;
}

Moment Moments::Iterator::read() {
  Moment moment;
  const uint64_t head = read_number();
  moment.word = static_cast<uint16_t>(head / 2);
  const uint64_t time = read_number();
  if (head % 2 == kWhole)
    moment.t_s = seconds(before_.t_ns = sum(before_.t_ns, time));
  else
    moment.t_s = std::bit_cast<double>(time);
  moment.request = before_.request = sum(before_.request, read_number());
  moment.series = static_cast<int16_t>(unfolded(read_number()));
  moment.count = static_cast<int>(unfolded(read_number()));
  return moment;
}

}  // namespace ridge
