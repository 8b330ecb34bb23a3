import Longwave
import Wire

/// Draws a level meter as lines of a terminal. Pure.
public struct MeterPicture: Sendable {
  /// Columns; no line is wider.
  public var width: Int
  public var height: Int
  /// Whether the terminal shows blocks and `∞`.
  public var isUnicode = true
  public var hasColors = true

  public init(width: Int, height: Int, isUnicode: Bool = true, hasColors: Bool = true) {
    (self.width, self.height) = (min(1000, max(1, width)), min(500, max(1, height)))
    (self.isUnicode, self.hasColors) = (isUnicode, hasColors)
  }

  /// Values of a bar from which on it is yellow, and red.
  private static let yellow = 0.6
  private static let red = 0.85
  private static let eighths = Array("▏▎▍▌▋▊▉█")
  private static let columns = Array("▁▂▃▄▅▆▇█")
  private static let figureWidth = 10

  /// Returns at most `height` lines, of at most `width` columns each.
  public func lines(_ model: MeterModel) -> [String] {
    var lines = [head(model)]
    if let trouble = model.trouble {
      lines.append(fitted("! " + trouble))
    } else if model.isSilent {
      lines.append(fitted("! dead air"))
    } else if height > 8 {
      lines.append("")
    }
    if model.bars.isEmpty { lines.append(fitted("waiting for sound")) }
    let names = model.bars.count == 1 ? [" "] : ["L", "R"]
    for (name, bar) in zip(names, model.bars) { lines.append(row(name, bar)) }
    if width >= 40 { lines.append(scale) }
    lines += figures(model)
    let left = height - lines.count
    if width >= 24, left >= 3, !model.bands.isEmpty { lines += spectrum(model, rows: min(9, left)) }
    return Array(lines.prefix(height))
  }

  /// Returns one line for a pipe, without a time.
  public static func line(_ model: MeterModel) -> String {
    let picture = MeterPicture(width: 1000, height: 1)
    let names = model.bars.count == 1 ? ["  "] : ["L ", "R "]
    var parts = zip(names, model.bars).map { name, bar in
      (name + picture.decibels(bar.rms)).trimmed
    }
    for (name, key) in [("M", "momentary"), ("I", "integrated")] {
      parts.append("\(name) \(picture.figure(model.loudness[key])) LUFS")
    }
    if model.isSilent { parts.append("dead air") }
    if let trouble = model.trouble { parts.append(trouble) }
    if let title = model.title { parts.append(TerminalText.safe(title)) }
    return parts.joined(separator: "  ")
  }

  // MARK: Parts

  private func fitted(_ text: String) -> String {
    let text = TerminalText.shortened(TerminalText.safe(text), to: width)
    return isUnicode ? text : text.replacing("…", with: "~")
  }

  private func head(_ model: MeterModel) -> String {
    let lag = model.lag.map { "-" + HumanText.duration($0) } ?? ""
    let name = [model.station, model.title].compactMap(\.self).joined(separator: "  ")
    let room = width - lag.count - 1
    guard room >= 8, !lag.isEmpty else { return fitted(name) }
    let picture = MeterPicture(width: room, height: 1, isUnicode: isUnicode)
    let text = picture.fitted(name)
    let blanks = String(repeating: " ", count: room - TerminalText.width(text) + 1)
    return text + blanks + lag
  }

  private func row(_ name: String, _ bar: MeterModel.Bar) -> String {
    let hasFigure = width >= 24
    let room = max(1, width - 2 - (hasFigure ? Self.figureWidth : 0))
    let figure = hasFigure ? right(decibels(bar.rms), Self.figureWidth) : ""
    let prefix = width > 4 ? name + " " : ""
    return prefix + cells(bar, min(room, width - prefix.count)) + figure
  }

  private func cells(_ bar: MeterModel.Bar, _ count: Int) -> String {
    let eighths = Int(bounded: (bar.shown * Double(count) * 8).rounded(), in: 0...(count * 8))
    let hold = Int(bounded: bar.hold * Double(count), in: 0...(count - 1))
    var text = ""
    var colour = 0
    for cell in 0..<count {
      let filled = min(8, max(0, eighths - cell * 8))
      let isHold = cell == hold && bar.hold > 0 && filled < 8
      let value = Double(cell) / Double(count)
      let wanted = value < Self.yellow ? 32 : value < Self.red ? 33 : 31
      if hasColors, filled > 0 || isHold, wanted != colour {
        text += "\u{1B}[\(wanted)m"
        colour = wanted
      }
      if isHold {
        text += isUnicode ? "│" : "|"
      } else if filled == 0 {
        text += " "
      } else if isUnicode {
        text.append(Self.eighths[filled - 1])
      } else {
        text += filled >= 4 ? "#" : " "
      }
    }
    return text + (colour == 0 ? "" : "\u{1B}[0m")
  }

  /// Marks of −60, −48 … 0 dB below the bars.
  private var scale: String {
    let room = width - 2 - Self.figureWidth
    var marks = Array(repeating: Character(" "), count: width)
    for decibels in stride(from: -60, through: 0, by: 12) {
      let text = String(decibels)
      let place = 2 + room * (decibels + 60) / 60 - (decibels == 0 ? 1 : 0)
      for (index, character) in text.enumerated() where place + index < width {
        marks[place + index] = character
      }
    }
    return String(marks).trimmedAtEnd
  }

  private func figures(_ model: MeterModel) -> [String] {
    let all = [
      ("M", "momentary", "LUFS"), ("S", "shortTerm", "LUFS"), ("I", "integrated", "LUFS"),
      ("LRA", "range", "LU"), ("TP", "truePeak", "dBTP"),
    ].map { name, key, unit in "\(name) \(figure(model.loudness[key])) \(unit)" }
    var parts = all
    if let correlation = model.correlation {
      parts.append("corr \(correlation < 0 ? "" : "+")\(Self.fixed(correlation, 2))")
    }
    guard width >= 24 else { return [] }
    var lines: [String] = []
    for part in parts {
      let joined = lines.last.map { $0 + "  " + part }
      if let joined, joined.count <= width {
        lines[lines.count - 1] = joined
      } else {
        lines.append(fitted(part))
      }
    }
    return lines
  }

  private func spectrum(_ model: MeterModel, rows: Int) -> [String] {
    let bands = model.bands
    let wide = min(4, max(1, width / bands.count))
    let shown = bands.prefix(width / wide)
    return (0..<rows).map { row in
      let bottom = Double(rows - 1 - row) / Double(rows)
      var line = ""
      for level in shown {
        let filled = (MeterModel.display(level) - bottom) * Double(rows) * 8
        let eighths = Int(bounded: filled.rounded(), in: 0...8)
        let cell: Character =
          eighths == 0
          ? " " : isUnicode ? Self.columns[eighths - 1] : eighths >= 4 ? "#" : " "
        line += String(repeating: cell, count: max(1, wide - 1)) + (wide > 1 ? " " : "")
      }
      return line.trimmedAtEnd
    }
  }

  // MARK: Figures

  private func decibels(_ value: Double?) -> String { "\(figure(value)) dB" }

  /// `-` for what is not known yet.
  private func figure(_ value: Double?) -> String {
    guard let value else { return "-" }
    return value.isFinite ? Self.fixed(value, 1) : isUnicode ? "-∞" : "-inf"
  }

  private static func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = digits == 2 ? 100 : 10
    let number = Int(bounded: (value * Double(scale)).rounded(), in: -999_999...999_999)
    let fraction = String(scale + abs(number) % scale).dropFirst()
    return "\(number < 0 ? "-" : "")\(abs(number) / scale).\(fraction)"
  }

  private func right(_ text: String, _ count: Int) -> String {
    String(repeating: " ", count: max(0, count - text.count)) + text
  }
}
