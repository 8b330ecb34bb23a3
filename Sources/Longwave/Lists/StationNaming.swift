import Foundation
import Wire

/// Gives stations that come without an id one that is legal and nobody else's.
struct StationNaming {
  /// Ids that are somebody's.
  private(set) var taken: Set<String>
  /// The number that was given last to an id that several asked for.
  private var numbers: [String: Int] = [:]

  init(taken: Set<String>) { self.taken = taken }

  /// The id a name asks for, in Latin letters: `Österreich 1` is `osterreich-1`; nil where nothing is left of it.
  static func id(fromName name: String) -> String? {
    let latin = name.applyingTransform(
      StringTransform("Any-Latin; Latin-ASCII; Lower"), reverse: false)
    let id = StationID.cleaned((latin ?? name).replacingOccurrences(of: "'", with: ""))
    switch StationID.problem(id) {
    case nil: return id
    case _? where id.isEmpty: return nil
    // One of the server's own paths, or the end of a playlist's name.
    default: return StationID.problem(id + "-radio") == nil ? id + "-radio" : nil
    }
  }

  /// The id for a new station, which is taken from now on.
  mutating func takeID(name: String?, url: String) -> String {
    let wanted = name.flatMap(Self.id(fromName:)) ?? StationID.derived(from: url)
    var id = wanted
    var number = numbers[wanted] ?? 2
    while taken.contains(id) {
      let ending = "-\(number)"
      id = wanted.prefix(StationID.bytesMax - ending.count) + ending
      number += 1
      numbers[wanted] = number
    }
    taken.insert(id)
    return id
  }
}
