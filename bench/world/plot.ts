/** Growth of several lists as a picture: time over size, both in powers of ten. */
export interface Curve {
  readonly what: string
  readonly points: readonly { readonly size: number; readonly ms: number }[]
}

const WIDTH = 900
const HEIGHT = 600
const LEFT = 60
const RIGHT = 330
const EDGE = 40

export function plot(curves: readonly Curve[]): string {
  const all = curves.flatMap(({ points }) => points)
  const sizes = all.map(({ size }) => Math.log10(size))
  const times = all.map(({ ms }) => Math.log10(ms))
  const [least, most] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))]
  const [small, large] = [Math.min(...sizes), Math.max(...sizes)]
  const x = (size: number): number => LEFT + ((Math.log10(size) - small) / Math.max(large - small, 1e-9)) * (WIDTH - LEFT - RIGHT)
  const y = (ms: number): number => HEIGHT - EDGE - ((Math.log10(ms) - least) / (most - least)) * (HEIGHT - 2 * EDGE)
  const decades = Array.from({ length: most - least + 1 }, (_, index) => 10 ** (least + index))
  const color = (index: number): string => `hsl(${Math.round((index * 360) / curves.length)} 70% 40%)`
  const grid = decades.map(
    (ms) =>
      `<path d="M${LEFT} ${y(ms)}H${WIDTH - RIGHT}" stroke="#ccc"/><text x="${LEFT - 6}" y="${y(ms) + 4}" text-anchor="end">${ms} ms</text>`,
  )
  const marks = [...new Set(all.map(({ size }) => size))].map(
    (size) => `<text x="${x(size)}" y="${HEIGHT - EDGE + 18}" text-anchor="middle">× ${size}</text>`,
  )
  const lines = curves.map(({ points }, index) => {
    const path = points.map(({ size, ms }) => `${x(size).toFixed(1)},${y(ms).toFixed(1)}`).join(" ")
    return `<polyline points="${path}" fill="none" stroke="${color(index)}" stroke-width="1.5"/>`
  })
  // Names of those that grow most, beside their ends and as far apart as a line is high.
  const ends = curves
    .map(({ what, points }, index) => ({
      what,
      index,
      ms: points.at(-1)?.ms ?? 1,
      growth: (points.at(-1)?.ms ?? 1) / (points[0]?.ms ?? 1),
    }))
    .toSorted((a, b) => b.growth - a.growth)
    .slice(0, 30)
    .toSorted((a, b) => b.ms - a.ms)
  const names = ends.map(({ what, index, growth }, place) => {
    const at = EDGE + place * 17
    return `<text x="${WIDTH - RIGHT + 10}" y="${at}" fill="${color(index)}">${what} (× ${growth.toFixed(1)})</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>Milliseconds of a request over the size of the world</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${[...grid, ...marks, ...lines, ...names].join("\n")}
</svg>
`
}
