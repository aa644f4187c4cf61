// Wheel, drag and pinch move the camera; a press that does not move is a tap for whoever wants it.
import type { Camera } from "./camera.ts";

export interface Taps {
  /** A press and release on one spot; metres. */
  tap(x: number, y: number): void;
  /** Whether a drag belongs to the tool instead of the camera. */
  takesDrag(): boolean;
  dragged(fromX: number, fromY: number, x: number, y: number, done: boolean): void;
  hover(x: number, y: number): void;
  /** The view was moved by hand. */
  moved(): void;
}

/** How far a finger may slip and still tap, in pixels. */
const SLIP = 6;

export class Gestures {
  private readonly pointers = new Map<number, [number, number]>();
  private start: [number, number] | null = null;
  private moving = false;

  constructor(private readonly canvas: HTMLElement, private readonly camera: Camera, private readonly taps: Taps) {
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.end(event));
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    this.camera.zoom(Math.exp(-event.deltaY * lines * 0.0015), event.offsetX, event.offsetY);
    this.taps.moved();
  }

  private down(event: PointerEvent): void {
    if (event.button > 1) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    this.start = this.pointers.size === 1 ? [event.offsetX, event.offsetY] : null;
    this.moving = this.pointers.size > 1;
  }

  private move(event: PointerEvent): void {
    const now: [number, number] = [event.offsetX, event.offsetY];
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) {
      this.taps.hover(...this.camera.toWorld(...now));
      return;
    }
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, now);
    else this.drag(before, now);
    this.pointers.set(event.pointerId, now);
  }

  private drag(before: [number, number], now: [number, number]): void {
    if (this.start === null) return;
    this.moving ||= Math.hypot(now[0] - this.start[0], now[1] - this.start[1]) > SLIP;
    if (!this.moving) return;
    if (this.taps.takesDrag()) {
      this.taps.dragged(...this.camera.toWorld(...this.start), ...this.camera.toWorld(...now), false);
      return;
    }
    this.camera.pan(now[0] - before[0], now[1] - before[1]);
    this.taps.moved();
  }

  // both fingers keep the ground under them
  private pinch(id: number, before: [number, number], now: [number, number]): void {
    const other = [...this.pointers].find(([pointer]) => pointer !== id)?.[1];
    if (other === undefined) return;
    const span = (point: [number, number]): number => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
    this.camera.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.camera.zoom(span(now) / span(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    this.taps.moved();
  }

  private up(event: PointerEvent): void {
    const now: [number, number] = [event.offsetX, event.offsetY];
    const only = this.pointers.size === 1 && this.pointers.has(event.pointerId);
    if (only && this.start !== null) {
      if (!this.moving) this.taps.tap(...this.camera.toWorld(...now));
      else if (this.taps.takesDrag()) {
        this.taps.dragged(...this.camera.toWorld(...this.start), ...this.camera.toWorld(...now), true);
      }
    }
    this.end(event);
  }

  private end(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    this.start = null;
  }
}
