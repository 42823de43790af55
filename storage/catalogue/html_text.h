// Shops copy cells out of web pages: "Oak &amp; Iron", "27&quot; display", "O&#x27;Malley". Read here as the signs that they stand for.
#pragma once

#include <string>
#include <string_view>

namespace turnstone {

// Character references of HTML (numeric, and the named ones of Latin-1 and of common punctuation) → UTF-8. What was escaped twice
// ("&amp;quot;") is read twice; anything else that starts with & stays. Pure; linear in the text.
std::string without_references(std::string_view text);

}  // namespace turnstone
