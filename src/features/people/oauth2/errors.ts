/** The errors of RFC 6749, 6750, 7009, 8628 and OpenID Connect Core, to be thrown and answered as JSON with this status. */
export type OAuth2Word =
  | "access_denied"
  | "authorization_pending"
  | "consent_required"
  | "expired_token"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_request"
  | "invalid_scope"
  | "login_required"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "slow_down"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"

export class OAuth2Error extends Error {
  readonly word: OAuth2Word
  readonly status: 400 | 401 | 429
  readonly retryAfter: number | undefined

  constructor(word: OAuth2Word, message: string, status: 400 | 401 | 429 = 400, retryAfter?: number) {
    super(message)
    this.name = "OAuth2Error"
    this.word = word
    this.status = status
    this.retryAfter = retryAfter
  }
}
