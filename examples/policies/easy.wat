;; EASY backfilling as text of WebAssembly. `wasm-as easy.wat` makes easy.wasm of it.
(module
  (import "schedscope" "start_heads" (func $start_heads (result i32)))
  (import "schedscope" "reserve" (func $reserve (param i32) (result f64)))
  (import "schedscope" "next_admitted" (func $next_admitted (param i32) (result i32)))
  (import "schedscope" "job_at" (func $job_at (param i32) (result i32)))
  (import "schedscope" "start" (func $start (param i32) (result i32)))

  (memory (export "memory") 1)
  (data (i32.const 16) "{\"id\": \"compiled-easy\", \"name\": \"My compiled EASY\"}\00")
  (func (export "describe") (result i32) (i32.const 16))

  (func (export "decide") (local $head i32) (local $position i32)
    ;; -1 stands for no job and no position.
    (local.set $head (call $start_heads))
    (if (i32.eq (local.get $head) (i32.const -1)) (then (return)))
    (drop (call $reserve (local.get $head)))
    (loop $again
      (local.set $position (call $next_admitted (local.get $position)))
      (if (i32.ne (local.get $position) (i32.const -1))
        (then
          (drop (call $start (call $job_at (local.get $position))))
          (local.set $position (i32.add (local.get $position) (i32.const 1)))
          (br $again))))))
