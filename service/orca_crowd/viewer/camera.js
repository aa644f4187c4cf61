// Where the view stands: world metres to screen pixels, y up; wheel and pinch zoom, drag pans.
export class Camera {
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
    this.x = 0;
    this.y = 0;
    this.scale = 10;
    this.pointers = new Map();
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    }
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.box) this.fit(this.box);
    this.changed();
  }

  fit(box) {
    this.box = box;
    const width = this.canvas.clientWidth || 1;
    const height = this.canvas.clientHeight || 1;
    this.x = (box[0] + box[2]) / 2;
    this.y = (box[1] + box[3]) / 2;
    this.scale = Math.min(width / (box[2] - box[0]), height / (box[3] - box[1]));
    this.changed();
  }

  // the point under the pointer stays where it is
  zoom(factor, atX, atY) {
    const dx = atX - this.canvas.clientWidth / 2;
    const dy = this.canvas.clientHeight / 2 - atY;
    const scale = Math.min(Math.max(this.scale * factor, 0.01), 2000);
    this.x += dx / this.scale - dx / scale;
    this.y += dy / this.scale - dy / scale;
    this.scale = scale;
    this.box = null;
    this.changed();
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.offsetX, event.offsetY];
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const span = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
      this.zoom(span(now) / span(before), other[0], other[1]);
    } else {
      this.x -= (now[0] - before[0]) / this.scale;
      this.y += (now[1] - before[1]) / this.scale;
      this.box = null;
      this.changed();
    }
    this.pointers.set(event.pointerId, now);
  }

  // canvas pixels of a world box's transform: [a, d, e, f] of setTransform
  transform() {
    const ratio = window.devicePixelRatio || 1;
    const scale = this.scale * ratio;
    return [scale, -scale, this.canvas.width / 2 - this.x * scale, this.canvas.height / 2 + this.y * scale];
  }
}
