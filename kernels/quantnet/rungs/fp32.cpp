// Idea      The network as it was trained, in fp32: what every quantised form is held against.
// Changed   Nothing yet. A convolution is a product of unfolded rows by the packed kernel of the GEMM lab.
// Limits    Unfolding: nine bytes are written and read for each byte of an image, and channels are few.
// Look at   Accuracy over the test set, one network a seed; bytes of the weights; time per call.
// Source    Chellapilla et al., High Performance Convolutional Neural Networks for Document Processing, 2006.
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(fp32);
RIDGE_KERNEL(quantnet, cpu, fp32, .prepare = prepare_floating, .launch = launch_floating);

}  // namespace
}  // namespace ridge
