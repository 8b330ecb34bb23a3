import Longwave

extension AdminClient {
  /// What stands in front of the code of a link that signs in.
  public static let dashboardCode = "#code="

  /// Returns a link of the relay's dashboard with a code behind the `#`, which browsers do not send: it signs in once,
  /// within a minute.
  ///
  /// A relay that is reached by its Unix socket says where it listens; one elsewhere is linked as it was reached. The
  /// link of an older relay, which makes no codes, has none: its page asks for the token.
  public func dashboardLink() async throws(AdminError) -> String {
    let told: JSON?
    do throws(AdminError) {
      told = try await request("POST", Self.path("dashboard"))
    } catch {
      guard error.status == 405 else { throw error }
      told = try await request("GET", Self.path("dashboard"))
    }
    guard case .string(let page)? = told?["url"] else {
      throw AdminError("the server does not say where its dashboard is")
    }
    if case .string(let code)? = told?["code"] {
      return (reached ?? page) + Self.dashboardCode + code
    }
    guard case .string? = told?["token"] else {
      throw AdminError(
        "the server has no admin token, which its dashboard needs; write admin: {token: …}")
    }
    return reached ?? page
  }

  /// The dashboard's address on the server that the client was told.
  private var reached: String? {
    guard case .server(let url, _) = place else { return nil }
    let whole = url.contains("://") ? url : "http://" + url
    return (whole.hasSuffix("/") ? String(whole.dropLast()) : whole) + "/admin/"
  }
}
