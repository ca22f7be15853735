// Looking inside the models of this lab (common/record/inspection.h): what WiSARD and the LUT network share.
//
// An input is an image of 28 x 28 pixels of a byte, its place p is row p / 28 and column p % 28.
#pragma once

#include <functional>
#include <vector>

#include "common/core/result.h"
#include "common/record/inspection.h"
#include "kernels/runtime/weightless/network.h"

namespace ridge::weightless {

/// The definition's answer, with every class's score.
using Predict = std::function<int(const uint8_t* pixels, int* scores)>;

/// Checks what is asked against `out->units` and the test set, and fills in what every model has: data,
/// classes, and with an input its label, scores, prediction and the time of one call. Returns the pixels;
/// empty where the model alone is asked for. Errors: usage, what is out of range.
Result<std::vector<uint8_t>> begin_inspection(const InspectAsked& asked, const Garments& set,
                                              const Predict& predict, Inspection* out);

/// 28 x 28, values empty.
InspectionPlane image_plane(std::string name, std::string group, std::string unit);
/// "row 3, column 12"
std::string pixel_name(int pixel);
/// The unit asked for, else the first that looks at the place asked for, else the first; and it is noted.
int choose_unit(const InspectAsked& asked, Inspection* out);
/// Votes of more units than a line has room for are left out, and it is said.
void add_votes(InspectionPlane votes, Inspection* out);

/// Groups: "wiring" (the model: pins that look at each pixel, of all classes and of each), "image",
/// "votes" (a row a class, a cell a LUT), "table" (8 x 8: cell a is the output at address a), "pins".
Result<Inspection> inspect_network(const LutNetwork& network, const Garments& set,
                                   const InspectAsked& asked);

}  // namespace ridge::weightless
