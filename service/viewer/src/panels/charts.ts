// Four small charts of the last two minutes, by uPlot.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { counted } from "./page.ts";
import type { Sample, Samples } from "./samples.ts";

interface ChartKind {
  readonly name: keyof Sample;
  readonly title: string;
  readonly unit: string;
  readonly colour: string;
  readonly digits: number;
}

const KINDS: readonly ChartKind[] = [
  { name: "stepTime", title: "Step time, all worlds", unit: " ms", colour: "--accent", digits: 2 },
  { name: "agents", title: "Agents", unit: "", colour: "--arrived", digits: 0 },
  { name: "overlaps", title: "Overlaps begun, per second", unit: "", colour: "--warm", digits: 0 },
  { name: "stalled", title: "Stalled agents", unit: "", colour: "--stalled", digits: 0 },
];

const HEIGHT = 68;

export class Charts {
  private plots: { readonly kind: ChartKind; readonly plot: uPlot; readonly value: HTMLElement }[] = [];

  constructor(private readonly host: HTMLElement, private readonly samples: Samples) {
    this.build();
    new ResizeObserver(() => this.resize()).observe(host);
  }

  /** Draw what was measured. */
  update(): void {
    for (const { kind, plot, value } of this.plots) {
      plot.setData(this.samples.series(kind.name) as uPlot.AlignedData);
      const last = this.samples.last(kind.name);
      value.textContent = last === null ? "–" : kind.digits > 0 ? `${last.toFixed(kind.digits)}${kind.unit}` : counted(last);
    }
  }

  /** The colours are others. */
  repaint(): void {
    for (const { plot } of this.plots) plot.destroy();
    this.build();
    this.update();
  }

  private build(): void {
    this.host.replaceChildren();
    this.plots = KINDS.map((kind) => {
      const figure = document.createElement("figure");
      const caption = document.createElement("figcaption");
      const value = document.createElement("b");
      caption.append(kind.title, value);
      figure.append(caption);
      this.host.append(figure);
      const plot = new uPlot(this.options(kind), this.samples.series(kind.name) as uPlot.AlignedData, figure);
      // the caption says the newest value; the drawing says no more to who cannot see it
      plot.root.setAttribute("aria-hidden", "true");
      return { kind, value, plot };
    });
  }

  private options(kind: ChartKind): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    return {
      width: this.width(),
      height: HEIGHT,
      cursor: { show: false },
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_plot, _least, most) => [0, Math.max(most, kind.digits > 0 ? 0.1 : 1) * 1.15] } },
      axes: [
        { show: false },
        {
          size: 40,
          font: "10px system-ui, sans-serif",
          stroke: colour("--soft"),
          grid: { stroke: colour("--line"), width: 1 },
          ticks: { show: false },
          space: 24,
          values: (_plot, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? counted(tick) : String(Number(tick.toPrecision(6))))),
        },
      ],
      series: [{}, { stroke: colour(kind.colour), fill: `${colour(kind.colour)}2a`, width: 1.5, points: { show: false } }],
      padding: [5, 2, 7, 0],
    };
  }

  private width(): number {
    return Math.max(120, this.host.clientWidth);
  }

  private resize(): void {
    for (const { plot } of this.plots) if (plot.width !== this.width()) plot.setSize({ width: this.width(), height: HEIGHT });
  }
}
