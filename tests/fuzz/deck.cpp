// A deck of cards.
#include "app/study/cards.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::study::parse_deck(text, "fuzz"))
