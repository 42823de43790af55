// What perfect understanding would read: the simulated shopper's meaning as constraints, past her words.
//
// The engine decides from this as from any other reading; what it scores with it is what retrieval, ranking and asking can
// do with these facts, so that the rest of the way to a worse score was lost in reading.
// A fact with a label is a wish for that column's value, a bare fact one for the value that it is in this catalogue; both are a
// feature in the listing's words as well, which the reader also takes intact stretches for. Pure; thread safe.
#pragma once

#include "storage/artefact/artefact.h"
#include "tools/eval/wording/speech.h"
#include "workers/reading.h"

namespace turnstone {

// `text` is what was said: every signal's span is all of it.
Reading read_meaning(const Meaning& meaning, const std::string& text, const Artefact& artefact);

}  // namespace turnstone
