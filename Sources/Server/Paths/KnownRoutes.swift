import Timeshift
import Wire

/// Routes of requests that came lately, where both follow from the target and the mounts alone: many ask for the same
/// segment.
struct KnownRoutes {
  private static let most = 512
  /// The longest path of a segment is shorter than this.
  private static let bytesMax = 256

  /// The mounts that the routes are of.
  private var table: UInt64?
  private var known: [String: Routes.Found] = [:]

  mutating func route(_ head: HTTPRequestHead, in table: MountTable) -> Routes.Route {
    if self.table != table.serial { (self.table, known) = (table.serial, [:]) }
    if head.method == "GET", let found = known[head.target] { return .served(found) }
    let route = Routes.route(head, in: table)
    if case .served(let found) = route, found.row.isOfPath { learn(found, head, table) }
    return route
  }

  private mutating func learn(
    _ found: Routes.Found, _ head: HTTPRequestHead, _ table: MountTable
  ) {
    guard head.target.utf8.count <= Self.bytesMax, let read = found.row.read else { return }
    var found = found
    found.wanted = try? read(
      PathRequest(
        head: head, mount: found.mount, parts: found.parts, now: Moment.now().wall, mounts: table))
    // All at once: strangers may ask for names without end.
    if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
    known[head.target] = found
  }
}
