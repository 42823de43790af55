// How well the engine asks, beside askers that know every column. Text and JSON; no time, no path, no machine in it.
#pragma once

#include <string>
#include <vector>

#include "storage/artefact/artefact.h"
#include "tools/eval/score.h"
#include "tools/eval/trial.h"

namespace turnstone {

inline constexpr std::uint32_t knowing_turns_max = 20;

// `outcomes` with turn = knowing_turns_max + 1 where the product was never shown.
std::string knowing_report(const std::vector<Outcome>& outcomes, const RowIndex& rows, const Artefact& artefact, const Subject& subject);
std::string knowing_summary(std::string_view report_text);

}  // namespace turnstone
