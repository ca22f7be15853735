#!/usr/bin/env bash
# The browser edition with a mouse, a keyboard and a finger: the teaching loop; what is kept between visits; a lost
# worker, a tab that sleeps; a screen with more pixels. RIDGE_WEB as in web_test.sh.
exec bash "$RIDGE_SOURCE/tests/web_test.sh" loop kept store_refused lost_worker sleep hidpi touch keys
