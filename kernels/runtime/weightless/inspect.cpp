#include "kernels/runtime/weightless/inspect.h"

#include <algorithm>
#include <chrono>

namespace ridge::weightless {
namespace {

Error out_of_range(const std::string& what, const char* field, int64_t count) {
  return {ErrorCode::usage, what, field, "choose 0 to " + std::to_string(count - 1)};
}

Result<void> check_range(const std::optional<int64_t>& value, const char* field,
                         const std::string& name, int64_t count) {
  if (!value || *value < count) return {};
  return out_of_range(name + " " + std::to_string(*value) + " is not there", field, count);
}

/// From `first` on and round the set, the first image that is not taken for what it is.
Result<int64_t> find_wrong(const ImageSet& set, int64_t first, const Predict& predict) {
  int scores[kClasses];
  for (int64_t step = 0; step < set.count(); ++step) {
    const int64_t i = (first + step) % set.count();
    if (predict(set.image(i), scores) != set.labels[static_cast<size_t>(i)]) return i;
  }
  return Error{ErrorCode::unavailable, "the model gets every test image right", "wrong", ""};
}

int address_of(const LutNetwork& network, int lut, const uint8_t* pixels) {
  int address = 0;
  for (int p = 0; p < kPins; ++p) {
    const uint16_t feature = network.wiring[static_cast<size_t>(lut * kPins + p)];
    address |= (pixels[feature / network.bits] > network.thresholds[feature]) << p;
  }
  return address;
}

int output_of(const LutNetwork& network, int lut, int address) {
  return static_cast<int>(network.tables[static_cast<size_t>(lut)] >> address & 1);
}

std::string name_of(const LutNetwork& network, int lut) {
  return "LUT " + std::to_string(lut) + " of " + kGarmentNames[lut / network.luts_per_class()];
}

/// Where the scale ends: above all but the highest fiftieth, a few pixels that would leave the rest dark.
int bright_end(std::vector<int> counts) {
  const auto place = counts.begin() + std::ssize(counts) * 49 / 50;
  std::nth_element(counts.begin(), place, counts.end());
  return std::max(1, *place);
}

void add_wiring(const LutNetwork& network, Inspection* out) {
  InspectionPlane all = image_plane("all classes", "wiring", "pins");
  all.values.assign(kGarmentPixels, 0);
  std::vector<InspectionPlane> planes(kClasses, all);
  for (int j = 0; j < network.luts; ++j) {
    const int c = j / network.luts_per_class();
    for (int p = 0; p < kPins; ++p) {
      const auto pixel =
          static_cast<size_t>(network.wiring[static_cast<size_t>(j * kPins + p)] / network.bits);
      ++all.values[pixel];
      ++planes[static_cast<size_t>(c)].values[pixel];
    }
  }
  // The classes have one scale, so that they can be compared; all together need their own.
  all.high = bright_end(all.values);
  out->planes.push_back(std::move(all));
  std::vector<int> counts;
  for (const InspectionPlane& plane : planes)
    counts.insert(counts.end(), plane.values.begin(), plane.values.end());
  const int high = bright_end(counts);
  for (size_t c = 0; c < planes.size(); ++c) {
    planes[c].name = kGarmentNames[c];
    planes[c].high = high;
    out->planes.push_back(std::move(planes[c]));
  }
}

/// pixels: null where the model alone is shown.
void add_lut(const LutNetwork& network, int lut, const uint8_t* pixels, Inspection* out) {
  InspectionPlane table{.name = name_of(network, lut), .group = "table", .unit = "output"};
  table.rows = table.columns = 8;
  for (int a = 0; a < kEntries; ++a) table.values.push_back(output_of(network, lut, a));
  InspectionPlane pins = image_plane(table.name, "pins", "");
  for (int p = 0; p < kPins; ++p) {
    const uint16_t feature = network.wiring[static_cast<size_t>(lut * kPins + p)];
    const int pixel = feature / network.bits, threshold = network.thresholds[feature];
    std::string label = "pin " + std::to_string(p) + ": " + pixel_name(pixel);
    const bool bit = pixels != nullptr && pixels[pixel] > threshold;
    if (pixels == nullptr) {
      label += ", above " + std::to_string(threshold);
    } else {
      label += ", " + std::to_string(pixels[pixel]) + (bit ? " > " : " ≤ ") +
               std::to_string(threshold) + ": " + (bit ? "1" : "0");
    }
    pins.marks.push_back({pixel, bit, std::move(label)});
  }
  if (pixels != nullptr) {
    const int address = address_of(network, lut, pixels);
    const int output = output_of(network, lut, address);
    table.marks.push_back(
        {address, output,
         "address " + std::to_string(address) + ": output " + std::to_string(output)});
  }
  out->planes.push_back(std::move(table));
  out->planes.push_back(std::move(pins));
}

}  // namespace

Result<std::vector<uint8_t>> begin_inspection(const InspectAsked& asked, const Garments& set,
                                              const Predict& predict, Inspection* out) {
  using Clock = std::chrono::steady_clock;
  out->of = "model";
  out->data = set.name, out->note = set.missing;
  out->inputs = set.test.count();
  out->classes.assign(kGarmentNames, kGarmentNames + kGarmentClasses);
  out->place = asked.place;
  RIDGE_TRY_VOID(check_range(asked.input, "input", "test image", out->inputs));
  RIDGE_TRY_VOID(check_range(asked.unit, "unit", out->unit_name, out->units));
  RIDGE_TRY_VOID(check_range(asked.place, "place", "pixel", kGarmentPixels));
  std::vector<uint8_t> pixels = asked.bytes;
  if (!pixels.empty() && pixels.size() != kGarmentPixels) {
    return Error{ErrorCode::usage, "the image has " + std::to_string(pixels.size()) + " bytes",
                 "input", "give 784, row by row"};
  }
  if (pixels.empty() && (asked.input || asked.wrong)) {
    out->input = asked.input.value_or(0);
    if (asked.wrong) {
      RIDGE_TRY(out->input, find_wrong(set.test, *out->input, predict));
    }
    const uint8_t* image = set.test.image(*out->input);
    pixels.assign(image, image + kGarmentPixels);
    out->label = set.test.labels[static_cast<size_t>(*out->input)];
  }
  if (pixels.empty()) return pixels;
  out->of = out->input ? "test" : "drawn";
  int scores[kClasses];
  predict(pixels.data(),
          scores);  // brings the model into the cache: the next call is the usual one
  const auto start = Clock::now();
  out->prediction = predict(pixels.data(), scores);
  out->call_ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  out->scores.assign(scores, scores + kClasses);
  InspectionPlane image = image_plane(
      out->input ? out->classes[static_cast<size_t>(*out->label)] : "drawn", "image", "grey value");
  image.values.assign(pixels.begin(), pixels.end());
  image.high = 255;
  out->planes.push_back(std::move(image));
  return pixels;
}

InspectionPlane image_plane(std::string name, std::string group, std::string unit) {
  InspectionPlane plane{
      .name = std::move(name), .group = std::move(group), .unit = std::move(unit)};
  plane.rows = plane.columns = kGarmentSide;
  return plane;
}

std::string pixel_name(int pixel) {
  return "row " + std::to_string(pixel / kGarmentSide) + ", column " +
         std::to_string(pixel % kGarmentSide);
}

int choose_unit(const InspectAsked& asked, Inspection* out) {
  const int64_t first = out->lookers.empty() ? 0 : out->lookers.front();
  out->unit = asked.unit.value_or(first);
  return static_cast<int>(*out->unit);
}

void add_votes(InspectionPlane votes, Inspection* out) {
  constexpr size_t kMaxVotes = 20'000;  // two bytes each, of a line of 64 KiB
  if (votes.values.size() <= kMaxVotes) {
    out->planes.push_back(std::move(votes));
  } else {
    out->unavailable["votes"] =
        std::to_string(votes.values.size()) + " votes are more than one line has room for (20000)";
  }
}

Result<Inspection> inspect_network(const LutNetwork& network, const Garments& set,
                                   const InspectAsked& asked) {
  Inspection out;
  out.unit_name = "LUT";
  out.units = network.luts;
  out.score = "LUTs that say yes";
  out.score_most = network.luts_per_class();
  const auto predict = [&](const uint8_t* pixels, int* scores) {
    return predict_one(network, pixels, scores);
  };
  RIDGE_TRY(const auto pixels, begin_inspection(asked, set, predict, &out));
  for (int j = 0; asked.place && j < network.luts; ++j) {
    const uint16_t* pin = &network.wiring[static_cast<size_t>(j * kPins)];
    const auto looks = [&](uint16_t feature) { return feature / network.bits == *asked.place; };
    if (std::any_of(pin, pin + kPins, looks)) out.lookers.push_back(j);
  }
  const uint8_t* image = pixels.empty() ? nullptr : pixels.data();
  if (image == nullptr) {
    add_wiring(network, &out);
  } else {
    InspectionPlane votes{.name = "votes", .group = "votes", .unit = "yes"};
    votes.rows = kClasses, votes.columns = network.luts_per_class();
    for (int j = 0; j < network.luts; ++j)
      votes.values.push_back(output_of(network, j, address_of(network, j, image)));
    add_votes(std::move(votes), &out);
  }
  add_lut(network, choose_unit(asked, &out), image, &out);
  return out;
}

}  // namespace ridge::weightless
