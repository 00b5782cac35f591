import { attribute, type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import type { Reader } from "../../../core/page.ts"
import { type DeedRow, type DeedsOf, listDeeds } from "../../../features/people/sign-in/credentials/deeds-store.ts"
import { empty, pager, person, table } from "../../../web/components.ts"
import { time } from "../../../web/time.ts"

type Asked = Pick<Request, "services" | "db"> & {
  readonly page: Parameters<typeof listDeeds>[2] & { readonly number: number }
  readonly reader: Reader
}

/** The list; with the token's name and owner where there are several. */
export async function deeds({ services, db, page: rows, reader }: Asked, whose: DeedsOf): Promise<Content> {
  const { rows: found, total } = await listDeeds(db, whose, rows)
  if (found.length === 0) return empty("log", t("No changes yet"))
  const [now, several] = [services.now(), !("tokenId" in whose)]
  const heads = [t("Time"), ...(several ? [t("Token")] : []), t("Change"), t("Status")]
  return html`
    ${table(
      t("Changes"),
      heads,
      found.map((each) => deedRow(each, several, now)),
    )}
    ${pager(reader.url, rows, total)}
  `
}

const deedRow = (each: DeedRow, several: boolean, now: number): Html =>
  html`
    <tr>
      <td class="nowrap">${time(each.created_at, now)}</td>
      ${several && html`<td><bdi>${each.token_name}</bdi><br><span class="muted small">${person({ name: each.user_name })}</span></td>`}
      <td><code>${each.operation}</code><br><span class="muted small break">${each.path}</span></td>
      <td ${attribute("class", each.status >= 400 ? "error" : undefined)}>${each.status || "–"}</td>
    </tr>
  `
