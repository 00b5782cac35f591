import { type Html, html } from "../../../core/html.ts"
import type { Text } from "../../../core/language/message.ts"

/** The text as a QR code. Dark on light in every theme, as cameras want it. */
export async function qrCode(text: string, label: Text): Promise<Html> {
  const { encode } = await import("uqr")
  const { data, size } = encode(text, { border: 2, ecc: "M" })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
  return html`
    <svg
      role="img"
      aria-label="${label}"
      width="220"
      height="220"
      viewBox="0 0 ${size} ${size}"
      shape-rendering="crispEdges"
    >
      <rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/>
    </svg>
  `
}
