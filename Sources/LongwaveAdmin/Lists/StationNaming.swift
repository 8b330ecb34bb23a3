import Longwave
import Foundation
import Wire

/// Gives stations without an id a legal and unused one.
struct StationNaming {
  /// The ids in use.
  private(set) var taken: Set<String>
  /// The next number to try for an id that several stations want.
  private var numbers: [String: Int] = [:]

  init(taken: Set<String>) { self.taken = taken }

  /// Returns the id that follows from a name, in Latin letters: `Österreich 1` gives `osterreich-1`. Nil where no
  /// letter or digit is left.
  static func id(fromName name: String) -> String? {
    let latin = name.applyingTransform(
      StringTransform("Any-Latin; Latin-ASCII; Lower"), reverse: false)
    let id = StationID.cleaned((latin ?? name).replacingOccurrences(of: "'", with: ""))
    switch StationID.problem(id) {
    case nil: return id
    case _? where id.isEmpty: return nil
    // The id is one of the server's own paths, or has the ending of a playlist.
    default: return StationID.problem(id + "-radio") == nil ? id + "-radio" : nil
    }
  }

  /// Returns the id for a new station, and marks it as used.
  ///
  /// - Parameter own: ids that are kept for this station, though in use.
  mutating func reserveID(name: String?, url: String, own: Set<String> = []) -> String {
    let wanted = name.flatMap(Self.id(fromName:)) ?? StationID.derived(from: url)
    var id = wanted
    var number = numbers[wanted] ?? 2
    while taken.contains(id), !own.contains(id) {
      let ending = "-\(number)"
      id = wanted.prefix(StationID.bytesMax - ending.count) + ending
      number += 1
      numbers[wanted] = number
    }
    taken.insert(id)
    return id
  }
}
