import Threads
import Timeshift

/// Those who wait for the same thing, in turn by who they are: an address has one turn in a round, and in IPv6 a /48
/// has, however many connections it has or begins. Its own connections take its turns one after the other.
///
/// Belongs to one loop; no step takes longer the more there are, except now and then for those who left.
struct AddressTurns {
  /// The connections of an address, by their tokens.
  private struct Line {
    var tokens = FIFO<UInt64>()
    /// Of these, those that wait no more.
    var gone: Set<UInt64> = []

    var isEmpty: Bool { tokens.count == gone.count }

    mutating func next() -> UInt64? {
      while let token = tokens.popFirst() {
        if gone.remove(token) == nil { return token }
      }
      return nil
    }
  }

  private var lines: [AddressBlock?: Line] = [:]
  /// Everybody who has a line, once.
  private var row = FIFO<AddressBlock?>()

  /// How many places are held, in lines and in the row: never much more than there are who wait.
  var held: Int { row.count + lines.values.reduce(0) { $0 + $1.tokens.count } }

  private static func key(_ customer: AddressBlock?) -> AddressBlock? { customer?.siteOrSelf }

  /// - Parameter customer: nil: the administration's own socket, which waits as one address does.
  mutating func wait(_ token: UInt64, for customer: AddressBlock?) {
    let key = Self.key(customer)
    if lines[key] == nil { row.append(key) }
    // Who left and comes again before its old place was reached has that.
    if lines[key]?.gone.remove(token) != nil { return }
    lines[key, default: Line()].tokens.append(token)
  }

  /// It waits no more. Only for one that does.
  mutating func leave(_ token: UInt64, of customer: AddressBlock?) {
    let key = Self.key(customer)
    guard lines[key] != nil else { return }
    lines[key]?.gone.insert(token)
    guard let line = lines[key], line.gone.count * 2 > line.tokens.count else { return }
    let gone = line.gone
    lines[key]?.tokens.removeAll { gone.contains($0) }
    lines[key]?.gone = []
  }

  /// Whose turn it is; nil: nobody waits.
  mutating func next() -> UInt64? {
    while let key = row.popFirst() {
      guard var line = lines.removeValue(forKey: key) else { continue }
      let token = line.next()
      if !line.isEmpty {
        lines[key] = line
        row.append(key)
      }
      if let token { return token }
    }
    return nil
  }
}
