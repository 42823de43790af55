# Writes the bytes of FILES as one C++ string literal per chunk (compilers bound a literal's length).
set(content "")
foreach(file ${FILES})
  file(READ ${file} text HEX)
  string(APPEND content "${text}0a")
endforeach()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${content}")
file(WRITE ${OUTPUT} "#include <string_view>
namespace turnstone::embedded {
static constexpr unsigned char bytes[] = {${bytes}};
extern const std::string_view ${SYMBOL};
const std::string_view ${SYMBOL}{reinterpret_cast<const char*>(bytes), sizeof bytes};
}  // namespace turnstone::embedded
")
