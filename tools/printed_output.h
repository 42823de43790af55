// Whether what a verb printed has arrived. A program that ends with 0 although its result went nowhere has lied.
#pragma once

namespace turnstone {

// False when something printed on standard output could not be written.
bool printed_so_far();

// Writes out what is left and gives `code`; where something got lost, says so and gives ExitCode::environment. A reader that went
// away (head, less) has what it wanted: nothing is said, and the code is the usual one of a program that SIGPIPE ended.
// `why_lost`: errno of a write that failed before, where it is known.
int code_after_printing(int code, int why_lost = 0);

}  // namespace turnstone
