// A tour.
#include "app/study/tour.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::study::parse_tour(text, "fuzz"))
