import Media
import Timeshift

/// Passes over files for their indexes: who waits for which, and how many each address has begun.
struct IndexPasses {
  /// Passes of one address that are under way or wait for their turn, and of a /48 eight times as many; who joins one that somebody began needs none.
  static let perAddress = 4

  typealias Waiting = CheckedContinuation<FileLibrary.IndexAnswer, Never>

  private struct Pass {
    /// Who began it; nil: nobody who is counted.
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
    guard begun.take(customer) else { return .tooMany }
    passes[file] = Pass(customer: customer, waiting: [number: waiting])
    return .first
  }

  /// Somebody waits no longer.
  mutating func leave(_ number: UInt64, _ file: MediaFile.Identity) -> Waiting? {
    passes[file]?.waiting.removeValue(forKey: number)
  }

  /// True, and the pass is over, where nobody waits for it any more.
  mutating func giveUp(_ file: MediaFile.Identity) -> Bool {
    guard passes[file]?.waiting.isEmpty == true else { return false }
    _ = end(file)
    return true
  }

  /// Those who waited.
  mutating func end(_ file: MediaFile.Identity) -> [Waiting] {
    guard let pass = passes.removeValue(forKey: file) else { return [] }
    begun.release(pass.customer)
    return Array(pass.waiting.values)
  }
}
