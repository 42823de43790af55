// The numbers of one policy variant: weights, gates, slate and question rules.
#pragma once

namespace turnstone {

struct Variant {};

}  // namespace turnstone
