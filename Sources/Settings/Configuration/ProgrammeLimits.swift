import Programmes
import Wire

/// What a programme's rules may say and is not played yet. It is read and checked all the same.
///
/// A line here goes away with what it forbids.
enum ProgrammeLimits {
  /// Keys that have no effect yet.
  static let keys: Set<String> = ["refresh"]

  private static func problem(with source: Source) -> String? {
    switch source {
    case .folder, .list, .collection, .station: nil
    case .url: "a URL cannot be played yet; write folder:/PATH, list:/PATH or a collection"
    }
  }

  /// Reports what is not played yet of a station's programme in which nothing is wrong.
  static func report(to station: SettingReader) {
    guard let field = station.field("programme") else { return }
    let place = Place(path: station.full("programme"), line: field.line, problems: station.problems)
    if case .text = field.node.content { return look(at: field.node, place, isSource: true) }
    look(at: field.node, place, isSource: false)
  }

  /// Reports what is not played yet of rules that a command changes.
  static func report(rules reader: SettingReader) {
    for key in RuleChanges.keys {
      guard let field = reader.field(key) else { continue }
      let place = Place(path: reader.full(key), line: field.line, problems: reader.problems)
      look(at: field, place)
    }
  }

  private struct Place {
    var path: String
    var line: Int
    let problems: SettingReader.Problems

    func report(_ message: String) { problems.add(message, key: path, line: line) }
  }

  private static func look(at node: SettingNode, _ place: Place, isSource: Bool) {
    switch node.content {
    case .nothing: break
    case .text(let text):
      guard isSource, let source = try? Source(text), let problem = problem(with: source) else {
        return
      }
      place.report(problem)
    case .list(let items):
      for (index, item) in items.enumerated() {
        var place = place
        (place.path, place.line) = ("\(place.path)[\(index)]", item.line)
        look(at: item, place, isSource: isSource)
      }
    case .fields(let fields):
      for field in fields {
        var place = place
        (place.path, place.line) = ("\(place.path).\(field.key)", field.line)
        look(at: field, place)
      }
    }
  }

  private static func look(at field: SettingNode.Field, _ place: Place) {
    if keys.contains(field.key) {
      if case .nothing = field.node.content { return }
      return place.report("has no effect yet; leave it out")
    }
    look(at: field.node, place, isSource: ["play", "wheel"].contains(field.key))
  }
}
