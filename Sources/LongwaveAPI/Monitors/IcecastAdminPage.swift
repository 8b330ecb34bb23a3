import Longwave
import Wire

/// Icecast's pages for people below `/admin/`, `NAME.xsl`: its answers in XML as HTML, with its words.
enum IcecastAdminPage {
  /// Returns the page of an answer: `icestats` or `iceresponse`.
  static func page(of content: XMLElement) -> String {
    if content.name == "iceresponse" { return document(response(content)) }
    let source = content.children.first { $0.name == "current_source" }?.text
    let figures = content.children.filter { !["source", "current_source"].contains($0.name) }
    let sources = content.children.filter { $0.name == "source" }
    return document(
      (figures.isEmpty ? [] : [XMLElement("h3", text: "Global Server Stats"), table(figures)])
        + (source.map { [XMLElement("h2", text: "Moving listeners from \($0)")] } ?? [])
        + sources.flatMap { mount($0, movingFrom: source) })
  }

  /// Returns the page with a form for a mount's title.
  static func titleForm(_ mount: String) -> String {
    func input(_ type: String, _ name: String, _ value: String) -> XMLElement {
      XMLElement("input", ["type": type, "name": name, "value": value])
    }
    let form = XMLElement(
      "form", ["method": "get", "action": "metadata.xsl"],
      [
        input("text", "song", ""), input("submit", "", "Update"), input("hidden", "mount", mount),
        input("hidden", "mode", "updinfo"), input("hidden", "charset", "UTF-8"),
      ])
    return document([
      XMLElement("h2", text: "Update Metadata"), XMLElement("h3", text: "Mountpoint \(mount)"),
      form,
    ])
  }

  private static func response(_ content: XMLElement) -> [XMLElement] {
    func text(_ name: String) -> String {
      content.children.first { $0.name == name }?.text ?? ""
    }
    return [
      XMLElement("h2", text: "Icecast Server Response"),
      XMLElement("p", text: "Message: \(text("message"))"),
      XMLElement("p", text: "Return Code: \(text("return"))"),
    ]
  }

  private static func mount(_ source: XMLElement, movingFrom: String?) -> [XMLElement] {
    let mount = source.attributes.first { $0.key == "mount" }?.value ?? ""
    let name = PercentEncoding.path(mount)
    let links =
      movingFrom.map {
        [
          link(
            "Move clients",
            "moveclients.xsl?mount=\(PercentEncoding.path($0))&destination=\(name)")
        ]
      } ?? [
        link("List Clients", "listclients.xsl?mount=\(name)"),
        link("Move Listeners", "moveclients.xsl?mount=\(name)"),
        link("Update Metadata", "updatemetadata.xsl?mount=\(name)"),
        link("Kill Source", "killsource.xsl?mount=\(name)"),
      ]
    let listeners = source.children.filter { $0.name == "listener" }
    return [
      XMLElement("h3", text: "Mountpoint \(mount)"), list(links),
      table(source.children.filter { $0.name != "listener" }),
    ] + (listeners.isEmpty ? [] : [clients(listeners, of: name)])
  }

  private static func clients(_ listeners: [XMLElement], of mount: String) -> XMLElement {
    let head = ["IP", "Sec. connected", "User Agent", "Action"].map { XMLElement("td", text: $0) }
    let rows = listeners.map { listener in
      let values = ["IP", "Connected", "UserAgent"].map { name in
        XMLElement("td", text: listener.children.first { $0.name == name }?.text ?? "")
      }
      let id = listener.attributes.first { $0.key == "id" }?.value ?? ""
      let kick = link("Kick", "killclient.xsl?mount=\(mount)&id=\(id)")
      return XMLElement("tr", [:], values + [XMLElement("td", [:], [kick])])
    }
    return XMLElement("table", [:], [XMLElement("tr", [:], head)] + rows)
  }

  private static func table(_ values: [XMLElement]) -> XMLElement {
    XMLElement(
      "table", [:],
      values.map { value in
        XMLElement(
          "tr", [:],
          [XMLElement("td", text: value.name), XMLElement("td", text: value.text ?? "")])
      })
  }

  private static func link(_ text: String, _ target: String) -> XMLElement {
    var link = XMLElement("a", text: text)
    link.attributes = ["href": target]
    return link
  }

  private static func list(_ links: [XMLElement]) -> XMLElement {
    XMLElement("ul", [:], links.map { XMLElement("li", [:], [$0]) })
  }

  private static func document(_ content: [XMLElement]) -> String {
    let head = XMLElement(
      "head", [:],
      [
        XMLElement("meta", ["charset": "utf-8"]),
        XMLElement("title", text: "Icecast Streaming Media Server"),
      ])
    let menu = list([
      link("Admin Home", "stats.xsl"), link("Mountpoint List", "listmounts.xsl"),
      link("Public Home", "../status.xsl"),
    ])
    let body = XMLElement("body", [:], [XMLElement("h1", text: "Icecast2 Admin"), menu] + content)
    return "<!DOCTYPE html>\n" + XMLElement("html", ["lang": "en"], [head, body]).written + "\n"
  }
}
