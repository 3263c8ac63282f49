"""A client of generation_test.py: three sequences over one stream of tritonclient's, printed as lines of JSON.

usage: generation_client.py HOST:PORT
"""
import json
import queue
import sys

import numpy as np
import tritonclient.grpc as triton

PROMPTS = [[5, 17, 30], [1], list(range(20))]

answers = queue.Queue()
with triton.InferenceServerClient(sys.argv[1]) as client:
    client.start_stream(lambda result, error: answers.put((result, error)))
    for i, prompt in enumerate(PROMPTS):
        tokens = triton.InferInput("tokens", [1, len(prompt)], "INT64")
        tokens.set_data_from_numpy(np.array([prompt], np.int64))
        client.async_stream_infer("gpt", [tokens], request_id=str(i), parameters={"max_tokens": 10})
    made = [[] for _ in PROMPTS]
    ended = 0
    while ended < len(PROMPTS):
        result, error = answers.get(timeout=60)
        if error:
            raise error
        response = result.get_response()
        if response.parameters["triton_final_response"].bool_param:
            ended += 1
            reason = response.parameters["finish_reason"].string_param
            print(json.dumps([PROMPTS[int(response.id)], made[int(response.id)], reason]))
        else:
            made[int(response.id)].append(int(result.as_numpy("tokens")[0]))
    client.stop_stream()
