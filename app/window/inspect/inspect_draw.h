// The parts of a look inside a model, drawn from its planes whatever the model is.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "app/window/shell/ui.h"
#include "common/record/inspection.h"

namespace ridge::window {

/// Its name, or its number where it has none.
std::string class_name(const Inspection& look, size_t c);
/// Where a cell of a grid lies, on whole pixels.
Area cell_area(const Area& area, int rows, int columns, int64_t cell);
/// The cell under the mouse; none: it is elsewhere.
std::optional<int64_t> cell_at_mouse(const Area& area, int rows, int columns);

/// The grid in the colours of values. `value_at(cell)` in the plane's steps.
void draw_cells(Ui& ui, const Area& area, const InspectionPlane& plane,
                const std::function<int(size_t cell)>& value_at);
void draw_plane(Ui& ui, const Area& area, const InspectionPlane& plane);
/// A frame around a cell that is seen on every step of the ramp.
void mark_cell(Ui& ui, const Area& cell, Role role, float width);
/// "bag, row 3, column 12: 0.43 share of set bits"
std::string cell_text(const InspectionPlane& plane, int64_t cell);

/// A row a class: its score as a bar, and its votes, a cell a unit; a click selects a unit.
void draw_classes(Ui& ui, Area area, const Inspection& look);
/// The looks in view: at the model, at what it makes of an input; each may be null.
struct Looks {
  const Inspection *model = nullptr, *input = nullptr;
  const Inspection& any() const { return input ? *input : *model; }
};

/// Planes that nothing else draws, a group beside the other under its title; what was predicted framed. A click
/// selects a place of the input.
void draw_gallery(Ui& ui, const Area& area, const Looks& looks);
float gallery_height(const Ui& ui, float width, const Looks& looks);
/// Where a histogram was cut off, and where it might have been: lines in it, and what they are two lines
/// under it.
void draw_clips(Ui& ui, const Area& picture, const InspectionPlane& plane, float line);
/// Planes of one row with a label for each cell, as bars; what is marked with 1 stands out. No height: there are none.
void draw_measures(Ui& ui, Area area, const Looks& looks);
float measures_height(const Ui& ui, const Looks& looks);
/// That their longest label needs.
float measures_width(Ui& ui, const Looks& looks);
bool is_measure(const InspectionPlane& plane);
/// The unit in view: its table with the entry that the input addresses, its pins in words. No height: there is none.
void draw_unit(Ui& ui, Area area, const Inspection& look);
float unit_height(const Ui& ui, const Inspection& look);

}  // namespace ridge::window
