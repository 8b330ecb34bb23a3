import Media
import Timeshift

/// Passes over files for their indexes: which callers wait for which, and how many passes each address has begun.
struct IndexPasses {
  /// Passes of one address that are under way or wait for their turn; a /48 may have eight times as many. A caller that
  /// joins a pass that was begun before needs none.
  static let perAddress = 4

  typealias Waiting = CheckedContinuation<FileLibrary.IndexAnswer, Never>

  private struct Pass {
    /// Address that began the pass; nil for one that is not counted.
    var customer: AddressBlock?
    var waiting: [UInt64: Waiting] = [:]
  }

  enum Begun {
    /// The pass is to be made.
    case first
    case joined
    case tooMany
  }

  private var passes: [MediaFile.Identity: Pass] = [:]
  private let begun = AddressPlaces(countsSites: true)

  init() { begun.setMax(Self.perAddress) }

  mutating func wait(
    _ number: UInt64, for file: MediaFile.Identity, from customer: AddressBlock?, _ waiting: Waiting
  ) -> Begun {
    if passes[file] != nil {
      passes[file]?.waiting[number] = waiting
      return .joined
    }
    guard begun.reserve(customer) else { return .tooMany }
    passes[file] = Pass(customer: customer, waiting: [number: waiting])
    return .first
  }

  /// Removes a caller that waits no longer.
  mutating func leave(_ number: UInt64, _ file: MediaFile.Identity) -> Waiting? {
    passes[file]?.waiting.removeValue(forKey: number)
  }

  /// Ends a pass that no caller waits for any more; true when it did.
  mutating func giveUp(_ file: MediaFile.Identity) -> Bool {
    guard passes[file]?.waiting.isEmpty == true else { return false }
    _ = end(file)
    return true
  }

  /// Ends a pass, and returns the callers that waited.
  mutating func end(_ file: MediaFile.Identity) -> [Waiting] {
    guard let pass = passes.removeValue(forKey: file) else { return [] }
    begun.release(pass.customer)
    return Array(pass.waiting.values)
  }
}
