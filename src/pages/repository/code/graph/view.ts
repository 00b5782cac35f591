import type { OnRepository } from "../../../../access/policies/repositories.ts"
import { type Html, html } from "../../../../core/html.ts"
import { escapePath } from "../../../../core/text/escape-path.ts"
import type { Graph } from "../../../../features/code/history/graph.ts"
import { repositoryPath } from "../../../../web/address.ts"
import { icon } from "../../../../web/icon.ts"
import { time } from "../../../../web/time.ts"
import { commitLink, commitPerson, idLink, signatureMark, statusMark, subjectOf } from "../../../parts/code/commits-view.ts"

/** A row's height and a lane's width in the units of the drawing, and the height in rem. It grows with the text beside it. */
const ROW = 36
const LANE = 14
const ROW_REM = 2.25
const RADIUS = 4
const COLOURS = 6
/** Lanes further out are not drawn: there is no room for them. */
const MOST_LANES = 30

/** The graph as one drawing beside the rows: one element for each colour, whatever the number of commits. */
export function graphView(on: OnRepository, { rows, lanes }: Graph): Html {
  const drawn = Math.min(lanes, MOST_LANES)
  const width = drawn * LANE + LANE / 2
  const height = rows.length * ROW
  const rem = (units: number) => `${((units / ROW) * ROW_REM).toFixed(3)}rem`
  return html`
    <div class="graph card">
      <svg
        class="lanes"
        viewBox="0 0 ${width} ${height}"
        width="${rem(width)}"
        height="${rem(height)}"
        aria-hidden="true"
      >
        ${pathsOf(rows, drawn)}
      </svg>
      <ol class="plain">
        ${rows.map(
          ({ commit, author, verification, status, branches }) =>
            html`
              <li>
                <span class="title">
                  ${branches.map(
                    (name) =>
                      html`
                        <a class="chip topic" href="${repositoryPath(on)}/src/branch/${escapePath(name)}">
                          ${icon("git-branch")}<bdi>${name}</bdi>
                        </a>${" "}
                      `,
                  )}
                  ${commitLink(on, { id: commit.id, subject: subjectOf(commit) })}
                </span>
                ${statusMark(status)}${signatureMark(verification)}
                <span class="who small">${commitPerson(author, commit.author)}</span>
                <span class="muted small when">${time(commit.committer.when)}</span>${idLink(on, commit.id)}
              </li>
            `,
        )}
      </ol>
    </div>
  `
}

function pathsOf(rows: Graph["rows"], drawn: number): readonly Html[] {
  const lines = Array.from({ length: COLOURS }, () => "")
  const dots = Array.from({ length: COLOURS }, () => "")
  const x = (lane: number) => lane * LANE + LANE / 2 + 2
  for (const [index, { lane, edges }] of rows.entries()) {
    const y = index * ROW + ROW / 2
    for (const { from, to } of edges) {
      if (from >= drawn || to >= drawn) continue
      const colour = Math.max(from, to) % COLOURS
      lines[colour] +=
        from === to ? `M${x(from)} ${y}v${ROW}` : `M${x(from)} ${y}C${x(from)} ${y + ROW / 2} ${x(to)} ${y + ROW / 2} ${x(to)} ${y + ROW}`
    }
    if (lane < drawn)
      dots[lane % COLOURS] +=
        `M${x(lane) - RADIUS} ${y}a${RADIUS} ${RADIUS} 0 1 0 ${2 * RADIUS} 0a${RADIUS} ${RADIUS} 0 1 0 ${-2 * RADIUS} 0`
  }
  return [
    ...lines.flatMap((d, colour) => (d === "" ? [] : [html`<path class="line colour-${colour}" d="${d}"/>`])),
    ...dots.flatMap((d, colour) => (d === "" ? [] : [html`<path class="dot colour-${colour}" d="${d}"/>`])),
  ]
}
