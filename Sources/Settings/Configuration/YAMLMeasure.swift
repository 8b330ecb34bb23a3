import CYaml

/// Measures a YAML text before it is composed. An alias stands for all that its anchor has, nested aliases included, so
/// half a kilobyte can become gigabytes.
struct YAMLMeasure {
  /// Most nodes: a configuration of 10,000 stations with fifty values each has about that many, some 100 MB in memory.
  static let nodesMax = 1_000_000
  /// Deepest nesting; people nest six deep.
  static let depthMax = 64

  struct Problem: Hashable {
    var line: Int
    var message: String
  }

  /// An open list or mapping, and its nodes so far.
  private struct Open {
    var anchor: String?
    var nodes = 1
  }

  private var open: [Open] = []
  private var anchors: [String: Int] = [:]
  private var total = 0

  /// Returns what of the text is too much; nil when nothing is, or when it is no YAML, which its reader explains
  /// better.
  static func problem(in yaml: String) -> Problem? {
    var yaml = yaml
    return yaml.withUTF8 { bytes in
      var parser = yaml_parser_t()
      guard yaml_parser_initialize(&parser) == 1 else { return nil }
      defer { yaml_parser_delete(&parser) }
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      var measure = YAMLMeasure()
      while true {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
        defer { yaml_event_delete(&event) }
        if event.type == YAML_STREAM_END_EVENT { return nil }
        if let message = measure.add(event) {
          return Problem(line: Int(event.start_mark.line) + 1, message: message)
        }
      }
    }
  }

  private mutating func add(_ event: yaml_event_t) -> String? {
    switch event.type {
    case YAML_SCALAR_EVENT: add(1, anchor: event.data.scalar.anchor.map(Self.text))
    case YAML_ALIAS_EVENT:
      add(event.data.alias.anchor.flatMap { anchors[Self.text($0)] } ?? 1, anchor: nil)
    case YAML_SEQUENCE_START_EVENT:
      open.append(Open(anchor: event.data.sequence_start.anchor.map(Self.text)))
    case YAML_MAPPING_START_EVENT:
      open.append(Open(anchor: event.data.mapping_start.anchor.map(Self.text)))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      if let done = open.popLast() { add(done.nodes, anchor: done.anchor) }
    default: break
    }
    if open.count > Self.depthMax { return "is nested more than \(Self.depthMax) deep" }
    if total > Self.nodesMax {
      return "comes to more than \(Self.nodesMax) values with all that its aliases stand for; "
        + "write less, or in several files"
    }
    return nil
  }

  private mutating func add(_ nodes: Int, anchor: String?) {
    if let anchor { anchors[anchor] = nodes }
    guard !open.isEmpty else { return }
    open[open.count - 1].nodes = min(open[open.count - 1].nodes + nodes, Self.nodesMax + 1)
    total = max(total, open[open.count - 1].nodes)
  }

  private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>) -> String {
    String(cString: bytes)
  }
}
