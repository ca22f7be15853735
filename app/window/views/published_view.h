// The published table that the lab follows (labs/table.h), each row as printed and as it is here.
#pragma once

#include "app/window/views/view.h"

namespace ridge::window {

extern const ViewDesc kTableView;

}  // namespace ridge::window
