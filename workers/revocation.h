// Where a shopper takes back what she said, or goes back behind it: a revoking verb with a reference to earlier speech ("scrap what I told
// you before", "never mind all that"), earlier speech that no longer holds ("my last wish no longer counts", "that was
// wrong"), or a mind that changed.
//
// Put together from the parts of speech of the cue book, so that any verb goes with any reference. "Forget the
// budget" refers to no speech and "don't forget what I said" revokes nothing; neither is found here.
// Pure; linear in the words.
#pragma once

#include <cstddef>
#include <optional>

#include "workers/cue_book.h"
#include "workers/message.h"

namespace turnstone {

struct Revocation {
  enum class Reach : std::uint8_t {
    all,     // everything said: "what I said before"
    latest,  // what was said last, or a mere "that": what follows decides how far it goes
    turn,    // the shopper only says that she thinks otherwise now
    before,  // back to what was held before the last change: "go back to what I had"
  };
  std::size_t length = 0;  // in words
  Reach reach = Reach::all;
};

// The revocation that begins at word i; nullopt for none.
std::optional<Revocation> revocation_at(const Message& message, std::size_t i, const CueBook& cues);

}  // namespace turnstone
