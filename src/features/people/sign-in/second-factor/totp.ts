import type { TOTP } from "otpauth"
import { onDemand } from "../../../../core/program/on-demand.ts"

const STEP_SECONDS = 30

/** As many random bytes, in base 32. */
export const randomBase32 = (size: number): string => new (onDemand("otpauth").Secret)({ size }).base32

/** A new secret for an authenticator app, in base 32. */
export const newTotpSecret = (): string => randomBase32(20)

/** The otpauth: URL that authenticator apps read from a QR code. */
export const totpAddress = (secret: string, login: string, issuer: string): string => totp(secret, login, issuer).toString()

/**
 * The time step that a code belongs to, or undefined if it is neither the current step nor the one before or after.
 * The caller stores the step and refuses it from then on: a code works once.
 */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const delta = totp(secret).validate({ token: code, timestamp: now * 1000, window: 1 })
  return delta === null ? undefined : Math.floor(now / STEP_SECONDS) + delta
}

function totp(secret: string, label = "", issuer = "Hearth"): TOTP {
  const { Secret, TOTP } = onDemand("otpauth")
  return new TOTP({ issuer, label, algorithm: "SHA1", digits: 6, period: STEP_SECONDS, secret: Secret.fromBase32(secret) })
}
