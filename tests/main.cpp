// Catch2 2 brings no main of its own; with Catch2 3 this file is not built.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
