import Foundation
import Logging
import Store
import Timeshift

// The changes that a reload would make, worked out without making them.
extension Reload {
  /// A configuration that was read, or why not, and how its text differs from the running one's.
  struct Look: Sendable {
    var loaded: Result<Configuration, ConfigurationError>
    var changes = ConfigurationChanges()

    /// Reads the configuration. Blocks.
    init(
      _ load: () throws(ConfigurationError) -> Configuration, running: Configuration
    ) {
      loaded = Result { () throws(ConfigurationError) in try load() }
      switch loaded {
      case .success(let new): compare(running, new.text)
      case .failure(let error):
        changes.problems = error.problems
        // What cannot be read has no lines.
        guard let file = running.file, let data = try? NamedFile.contents(ofFile: file),
          let text = String(bytes: data, encoding: .utf8)
        else { return }
        compare(running, Configuration.kept(text))
      }
    }

    /// Nothing is told of a text that is too long to be kept.
    private mutating func compare(_ running: Configuration, _ text: String?) {
      guard let old = running.text, let text else {
        changes.isCut = true
        return
      }
      changes.compare(old, text)
    }
  }

  /// Works out what taking over a configuration would change.
  func tell(
    _ new: Configuration, in changes: inout ConfigurationChanges
  ) async throws(RelayError) {
    let read = try await readFiles(of: new, as: Self.lookTurn(new.file))
    if let refusal = read.refusal {
      changes.problems = refusal.problems
      return
    }
    // A look is not logged: nothing is left out by it.
    var loader = kit.loader
    loader.logger = Logger(label: "look") { _ in SwiftLogNoOpLogHandler() }
    do throws(StoreError) {
      _ = try await plan(new, read, loader, &changes.report)
    } catch {
      throw .failed(by: error)
    }
  }
}
