// Small catalogues of three unlike fields, built anew for the tests that read conversations against them.
#pragma once

#include <memory>
#include <string>

#include "storage/artefact/artefact.h"

namespace turnstone {

// "furniture", "electronics" or "perfumes". The index is built once a process; ends the program when it cannot be.
std::shared_ptr<const Artefact> trial_catalogue(const std::string& field);

}  // namespace turnstone
