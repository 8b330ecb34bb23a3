import Foundation
import Longwave
import Timeshift
import Wire

extension AdminClient {
  /// Seconds that looks have to get on.
  private static let lookPatience = 60.0

  /// Looks through a root of music, or all, believes what is found, and waits for the end of that.
  ///
  /// - Returns: the library, and the roots of it that were looked through; others are being looked through still.
  public func acceptLibrary(
    _ root: String?
  ) async throws(AdminError) -> (library: JSON, wanted: [JSON], done: Set<String>) {
    let body: JSON = ["root": JSON(root), "accept": .bool(true)]
    var library = try await request("POST", Self.path("library", "scan"), body: body) ?? [:]
    func wanted() -> [JSON] {
      library.items("roots").filter { root == nil || $0.text("root") == root }
    }
    /// When the last looks began that had ended before.
    let before = wanted().map { ($0.text("root"), $0["scan"]?["began"]) }
    var done: Set<String> = []
    var (moved, steps) = (MonotonicTime.now(), [JSON?]())
    while MonotonicTime.now().seconds(since: moved) < Self.lookPatience {
      let roots = wanted()
      for one in roots where one["scan"]?["accepted"] == .bool(true) {
        let id = one.text("root")
        let former = before.first { $0.0 == id }?.1
        if one["scan"]?["began"] != former { done.insert(id) }
      }
      if roots.allSatisfy({ done.contains($0.text("root")) }) { break }
      let now = library.items("roots").map { $0["lookingAt"] }
      if now != steps { (moved, steps) = (.now(), now) }
      try? await Task.sleep(for: .milliseconds(300))
      library = try await request("GET", Self.path("library")) ?? [:]
    }
    return (library, wanted(), done)
  }
}
