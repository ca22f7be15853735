// A note, --note.
#include "common/record/notes.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::parse_note(text))
