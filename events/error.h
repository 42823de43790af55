// Errors as values. Nothing throws across a module border; a Result says what failed and what to do about it.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace turnstone {

enum class ErrorCode {
  invalid_argument,   ///< the caller's input breaks a documented rule
  limit_exceeded,     ///< the input is larger than a documented limit
  not_found,          ///< the named session, product, file or turn does not exist
  io,                 ///< the operating system refused a read, write or connection
  no_space,           ///< the disk is full; reads go on, writes resume when there is space
  locked,             ///< another process owns the ledger
  corrupt,            ///< stored bytes are damaged or incomplete; never skipped in silence
  unsupported,        ///< written by a newer version, or of a kind this build does not know
  refused,            ///< other artefact, policy or decision version than recorded
  closed,             ///< the session has been closed
  erased,             ///< the session has been erased
  busy,               ///< a bounded queue is full; try again later
  key_reused,         ///< the turn key stands for another message already; make a new key for a new message
  internal,           ///< a broken invariant of this program
};

std::string_view to_string(ErrorCode code);  // snake case: the stable code in JSON errors

struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::internal;
  std::string detail;  // one sentence: what happened, to what, and what to do; never holds shopper text
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string detail) {
  return tl::unexpected<Error>(Error{code, std::move(detail)});
}

}  // namespace turnstone
