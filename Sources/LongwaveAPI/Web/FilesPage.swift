import Longwave
import Server
import Wire

/// The page of a station that serves files: their list, and one audio element. Without scripts each file is a link.
struct FilesPage {
  let station: StationSnapshot
  /// Nil where the reader may not see the list, or where it cannot be read now.
  let files: [FileEntry]?
  /// The listener's token, which the addresses of the files carry.
  let access: String?
  let house: WebSettings

  /// Most files that the page lists; the API has them all.
  private static let filesMax = 500

  var page: WebPage {
    WebPage(
      title: "\(station.name) – \(house.title)", kind: "files",
      summary: station.description ?? "Listen to \(station.name).",
      styles: ["base.css", "listen.css"], script: "files.js", main: main, state: state,
      house: house)
  }

  /// The same for pages of others.
  func embedded(theme: String?) -> WebPage {
    WebPage(
      title: "\(station.name) – \(house.title)", kind: "files",
      styles: ["base.css", "embed.css"], script: "files.js", main: smallMain, state: state,
      house: house, isFramed: true, theme: theme)
  }

  /// One file after the other; there is no room for their list.
  private var smallMain: HTML {
    """
    <main id="main" class="player embed" data-station="\(station.id)">
    <div class="art" id="art">\(Picture(station, size: 96).html)</div>
    <h1 id="title" dir="auto">\(station.name)</h1>
    <p class="artist" dir="auto">\(station.description ?? "")</p>
    <p class="station"><a class="name" dir="auto" href="\(page(of: station.id))" target="_blank" rel="noopener">\
    \(station.name)</a></p>
    <audio id="file" controls preload="none"\(first)\(files == nil ? " hidden" : nil)></audio>
    \(files == nil ? Self.hidden : "<ol id=\"files\" hidden>\(listed.prefix(Self.filesMax).map(row))</ol>")
    <p class="status" id="status" role="status"></p>
    </main>
    """
  }

  private static let hidden: HTML = """
    <p id="hidden-files">This station does not show its files. Open one by its own address.</p>
    """

  private func page(of station: String) -> String {
    "/listen/\(station)" + (access.map { "?token=" + URLText.percentEncoded($0) } ?? "")
  }

  private var state: JSON {
    [
      "page": "files", "version": .string(RelayVersion.number),
      "access": JSON(access.map { "token=" + URLText.percentEncoded($0) }),
    ]
  }

  /// The files that are listed; empty where the station is one file.
  private var listed: [FileEntry] { (files ?? []).filter { !$0.path.isEmpty } }

  /// What the audio element begins with: the station's only file, or the first of its list.
  private var first: HTML {
    guard let files else { return "" }
    return files.first.map { " src=\"\(address(of: $0))\"" } ?? ""
  }

  private var main: HTML {
    """
    <main id="main" class="player" data-station="\(station.id)">
    <section class="now">
    <div class="art" id="art">\(Picture(station, size: 320).html)</div>
    <div class="facts">
    <p class="station"><span class="name" dir="auto">\(station.name)</span></p>
    <h1 id="title" dir="auto">\(station.name)</h1>
    <p class="artist" dir="auto">\(station.description ?? "")</p>
    <audio id="file" controls preload="none"\(first)></audio>
    <p class="status" id="status" role="status"></p>
    </div>
    </section>
    \(list)
    </main>
    """
  }

  private var list: HTML {
    guard files != nil else { return Self.hidden }
    if listed.isEmpty { return "" }
    let further = listed.count - Self.filesMax
    return """
      <section class="played" aria-labelledby="list">
      <h2 id="list">Files</h2>
      <ol class="history files" id="files">
      \(listed.prefix(Self.filesMax).map(row))</ol>
      \(further > 0 ? "<p id=\"further\" data-count=\"\(further)\">\(further) more are not listed here.</p>" : nil)
      </section>
      """
  }

  private func row(_ file: FileEntry) -> HTML {
    let name = FileWords.name(file.path)
    let folder = FileWords.folder(file.path)
    return """
      <li><a class="from" href="\(address(of: file))"><span class="song" dir="auto">\(name)</span> \
      <span class="by" dir="auto">\(folder)</span> \
      <span class="length">\(file.seconds.map(GapWords.length) ?? FileWords.size(file.bytes))</span></a></li>

      """
  }

  private func address(of file: FileEntry) -> String {
    let parts = file.path.split(separator: "/").map { "/" + URLText.percentEncoded($0) }
    return "/" + station.id + parts.joined()
      + (access.map { "?token=" + URLText.percentEncoded($0) } ?? "")
  }
}

/// Names and sizes of files for people.
enum FileWords {
  /// Returns a path's last part without its ending.
  static func name(_ path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return String(last) }
    return String(last[..<dot])
  }

  /// Returns the folders of a path, such as `2026/May`; empty where there are none.
  static func folder(_ path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// Returns a size such as 12.3 MB.
  static func size(_ bytes: UInt64) -> String {
    let tenths = bytes / 100_000 + (bytes % 100_000 >= 50_000 ? 1 : 0)
    return "\(tenths / 10).\(tenths % 10) MB"
  }
}
