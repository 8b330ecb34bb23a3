import Foundation
import Logging
import Store
import Timeshift

// The changes that a reload would make, worked out without making them.
extension Reload {
  /// A configuration that was read, or why not, and its text.
  struct Look: Sendable {
    private enum Text {
      case kept(String)
      case tooLong
      case unreadable
    }

    let loaded: Result<Configuration, ConfigurationError>
    private let text: Text

    /// Reads the configuration. Blocks.
    ///
    /// - Parameter file: the file, for the text of a bad one.
    init(_ load: () throws(ConfigurationError) -> Configuration, file: String?) {
      loaded = Result { () throws(ConfigurationError) in try load() }
      switch loaded {
      case .success(let new): text = new.text.map(Text.kept) ?? .tooLong
      case .failure:
        guard let file, let data = try? NamedFile.contents(ofFile: file),
          let whole = String(bytes: data, encoding: .utf8)
        else {
          text = .unreadable
          return
        }
        text = Configuration.kept(whole).map(Text.kept) ?? .tooLong
      }
    }

    /// Returns the file's problems and its differences. Thousands of stations take seconds of a core.
    func changes(from running: Configuration) -> ConfigurationChanges {
      var changes = ConfigurationChanges()
      if case .failure(let error) = loaded { changes.problems = error.problems }
      switch (text, running.text) {
      // A file that cannot be read has no lines.
      case (.unreadable, _): break
      case (.kept(let new), let old?): changes.compare(old, new)
      case (.kept, nil), (.tooLong, _): changes.isCut = true
      }
      return changes
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
